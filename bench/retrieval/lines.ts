/** Which lines a commit changed, and which stand in the functions that it changed, as lines of the files at the base. */
import { git } from './git.ts'

export interface ChangedLines {
  readonly changed: ReadonlySet<number>
  /** With what stands around them in the same functions, as git finds these. */
  readonly around: ReadonlySet<number>
}

/** A passage that an answer shows. */
export interface Shown {
  readonly name: string
  readonly content: string
}

export interface LineShares {
  /** Of the lines that the commit changed those that the answer shows. */
  readonly found: number
  /** Of the lines that the answer shows those that are in no changed function. */
  readonly beside: number
}

interface Hunk {
  readonly from: number
  readonly lines: number
  readonly toLines: number
}

/** git knows functions by the language, which attributes name; these are the ones that it has a pattern for. */
export const languages = ['*.py diff=python', '*.go diff=golang', '*.rb diff=ruby', '*.java diff=java'].join('\n')

/**
 * By file, in lines of the base, from 1. What the commit changed that came after the base is no line of it and is left out;
 * of lines that were only added the line before them counts. `attributes`: a file with `languages`.
 */
export function changedLines(
  dir: string,
  { base, sha, files, attributes }: { base: string; sha: string; files: readonly string[]; attributes: string },
): ReadonlyMap<string, ChangedLines> {
  const lines = new Map<string, ChangedLines>()
  for (const file of files) {
    const diff = (from: string, to: string, ...how: string[]): Hunk[] =>
      hunksOf(git(dir, '-c', `core.attributesFile=${attributes}`, 'diff', '--no-renames', ...how, from, to, '--', file))
    const toBase = mapping(diff(`${sha}^1`, base, '-U0'))
    const inBase = (hunks: readonly Hunk[]): Set<number> =>
      new Set(hunks.flatMap(placesOf).flatMap((line) => toBase(line) ?? []))
    const changed = inBase(diff(`${sha}^1`, sha, '-U0'))
    const around = inBase(diff(`${sha}^1`, sha, '-U0', '-W'))
    if (changed.size > 0) lines.set(file, { changed, around: new Set([...around, ...changed]) })
  }
  return lines
}

/** Nothing where nothing that the commit changed is at the base, or nothing is shown. */
export function lineShares(
  changes: ReadonlyMap<string, ChangedLines>,
  shown: readonly Shown[],
  texts: ReadonlyMap<string, string>,
): LineShares[] {
  const all = [...changes.values()].reduce((sum, { changed }) => sum + changed.size, 0)
  const found = new Set<string>()
  let [lines, inside] = [0, 0]
  for (const { name, content } of shown) {
    const change = changes.get(name)
    for (const line of linesOf(content, name, texts.get(name) ?? '')) {
      lines += 1
      if (change?.around.has(line)) inside += 1
      if (change?.changed.has(line)) found.add(`${name}:${line}`)
    }
  }
  return all === 0 || lines === 0 ? [] : [{ found: found.size / all, beside: 1 - inside / lines }]
}

/** A memory of a file begins with its path and an empty line. */
function linesOf(content: string, file: string, text: string): number[] {
  const at = text.indexOf(content)
  if (at < 0) return []
  const head = text.startsWith(`${file}\n\n`) ? 2 : 0
  const first = text.slice(0, at).split('\n').length - head
  return Array.from(content.split('\n'), (_, index) => first + index).filter((line) => line > 0)
}

function hunksOf(diff: string): Hunk[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)].map(
    ([, from, lines = '1', toLines = '1']) => ({
      from: Number(from),
      lines: Number(lines),
      toLines: Number(toLines),
    }),
  )
}

function placesOf({ from, lines }: Hunk): number[] {
  return lines === 0 ? [from] : Array.from({ length: lines }, (_, at) => from + at)
}

/** From lines of the old text to those of the new one, but for lines that a hunk has. */
function mapping(hunks: readonly Hunk[]): (line: number) => number | undefined {
  return (line) => {
    let moved = 0
    for (const { from, lines, toLines } of hunks) {
      // A hunk of no lines stands behind its line.
      if (lines === 0 ? line <= from : line < from) break
      if (lines > 0 && line < from + lines) return undefined
      moved += toLines - lines
    }
    return line + moved
  }
}
