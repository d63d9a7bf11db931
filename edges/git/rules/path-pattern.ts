/**
 * Patterns of paths: names of files or folders between `/`, `*` for any characters within one name. A leading `/` binds
 * them to the repository's root, else they are found in any folder. All that lies below a match matches.
 *
 * Names are compared as the least exact file system would: two spellings that one of them takes for the same name
 * are the same name here. Too much is protected that way rather than too little.
 */

/** The longest name of any file system is 255; longer ones cannot be checked out. */
const longestName = 1024

/** 8.3 names of NTFS: which file they stand for depends on what else lies in the folder. */
const shortName = /^[^.~]{0,6}~[0-9]{1,6}(\.[^.]{0,3})?$/

export function foldedNames(path: string): readonly string[] {
  return path
    .split(/[/\\]/)
    .map(folded)
    .filter((name) => name !== '')
}

/** HFS+ composes and drops characters without width, NTFS drops streams, last dots and spaces, both ignore case. */
function folded(name: string): string {
  if (name.length > longestName) return name
  const visible = name.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
  const [main = ''] = visible.split(':', 1)
  return main
    .replace(/[. ]+$/, '')
    .toUpperCase()
    .toLowerCase()
}

export function isShortName(name: string): boolean {
  return shortName.test(name)
}

export interface PathPattern {
  readonly isRooted: boolean
  readonly names: readonly (readonly string[])[]
}

export function pathPattern(text: string): PathPattern {
  const names = text.split('/').filter((name) => name !== '')
  return { isRooted: text.startsWith('/'), names: names.map((name) => name.split('*').map(foldedPart)) }
}

/** A part of a name: a dot at its end is not the name's. */
function foldedPart(part: string): string {
  return part.normalize('NFKC').toUpperCase().toLowerCase()
}

export function matchesPath({ isRooted, names }: PathPattern, path: readonly string[]): boolean {
  const last = isRooted ? 0 : path.length - names.length
  for (let from = 0; from <= last; from += 1) {
    if (from + names.length <= path.length && names.every((parts, at) => matchesName(parts, path[from + at] ?? '')))
      return names.length > 0
  }
  return false
}

/** Each part as early as it can be: no choice is ever taken back. */
function matchesName(parts: readonly string[], name: string): boolean {
  const [first = '', ...others] = parts
  if (others.length === 0) return name === first
  const end = others.pop() ?? ''
  if (!name.startsWith(first) || !name.endsWith(end)) return false
  let at = first.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= name.length - end.length
}
