/**
 * Where protected paths lead: a symlink among them, or above them, makes an agent or a machine read another place of the
 * tree under a protected name, and instructions include other files by `@path`. Whoever changes those changes what is obeyed.
 */
import { posix } from 'node:path'
import type { PathGuard } from './path-guard.ts'
import { foldedNames } from './path-pattern.ts'

/** Something that makes the content of `to` count at `from`; both are paths from the repository's root. */
export interface Lead {
  readonly from: string
  readonly to: string
}

/** A file system follows no more links in a row (Linux, ELOOP). */
const mostHops = 40
/** No honest tree comes near; each is looked at name by name. */
const mostProtectedPaths = 2000
const longestProtectedPath = 1024

/** The links of a tree lead to more places than are looked at. */
export class TooManyProtectedPathsError extends Error {
  override readonly name = 'TooManyProtectedPathsError'
}

/** Folded names joined by `/`, each with the path that leads there. */
export interface ProtectedPaths {
  /** The place itself and what lies below. */
  readonly folders: ReadonlyMap<string, string>
  /** That very file. */
  readonly files: ReadonlyMap<string, string>
}

interface Open {
  readonly known: Map<string, string>
  readonly protectedPath: string
  readonly hops: number
}

/** `includes`: those of protected files only. Places are visited by their number of links, so each is met by its shortest way. */
export function protectedPathsOf(guard: PathGuard, links: readonly Lead[], includes: readonly Lead[]): ProtectedPaths {
  const folders = new Map<string, string>()
  const files = new Map<string, string>()
  const open: Open[] = []
  const add = (known: Map<string, string>, protectedPath: string, by: string, hops: number): void => {
    if (known.has(protectedPath) || hops > mostHops) return
    if (known.size >= mostProtectedPaths || protectedPath.length > longestProtectedPath)
      throw new TooManyProtectedPathsError('links lead too far')
    known.set(protectedPath, by)
    open.push({ known, protectedPath, hops })
  }
  const keyed = links.map(({ from, to }) => ({ at: key(from), to: key(to), from }))
  const targets = new Map(keyed.map((link) => [link.at, link]))
  for (const { from, to } of includes) add(files, key(to), from, 0)
  for (const { from, to } of keyed) if (guard(from) !== undefined) add(folders, to, from, 0)
  for (const { known, protectedPath, hops } of open) {
    const inside =
      known === folders ? keyed.filter(({ at }) => at.startsWith(`${protectedPath}/`) || protectedPath === '') : []
    for (const { to, from } of inside) add(folders, to, from, hops + 1)
    for (const above of ancestors(protectedPath)) {
      const link = targets.get(above)
      if (link !== undefined) add(known, joined(link.to, protectedPath.slice(above.length)), link.from, hops + 1)
    }
  }
  return { folders, files }
}

/** The path by which this one is read, when it is read under a protected name. */
export function leadingTo({ folders, files }: ProtectedPaths, path: string): string | undefined {
  const at = key(path)
  return (
    files.get(at) ??
    [...ancestors(at), ''].map((protectedPath) => folders.get(protectedPath)).find((by) => by !== undefined)
  )
}

/**
 * Paths from the repository's root to which a link or an include leads; none when it leads out. A name before `..` may be
 * a link itself, which then decides where the rest is: it is one of them.
 */
export function leadsFrom(from: string, target: string): readonly Lead[] {
  if (target.startsWith('/') || target.startsWith('~')) return []
  const names = target.split('/')
  const turns = names.flatMap((name, at) =>
    name === '..' && !isUp(names[at - 1]) ? [names.slice(0, at).join('/')] : [],
  )
  return [target, ...turns]
    .map((path) => posix.join(posix.dirname(from), path))
    .filter((to) => to !== '..' && !to.startsWith('../'))
    .map((to) => ({ from, to }))
}

function isUp(name: string | undefined): boolean {
  return name === undefined || name === '..' || name === '.' || name === ''
}

function key(path: string): string {
  return foldedNames(path).join('/')
}

function joined(protectedPath: string, rest: string): string {
  return protectedPath === '' ? rest.replace(/^\//, '') : `${protectedPath}${rest}`
}

/** The path itself, then each folder above it, without the root. */
function* ancestors(path: string): Iterable<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end)
}
