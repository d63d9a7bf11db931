/** One hunk a file, from its first changed line to its last: changes far apart are one hunk, where git makes two. */
import type { FileDiff } from '../diff.ts'
import { bareAt, blobOf, filesOf, type Tree } from './objects.ts'

/** Lines that git shows around a change. */
const CONTEXT = 3

export async function diffFiles(path: string, from: string, to: string): Promise<FileDiff[]> {
  const [before, after] = [filesOf(bareAt(path), from), filesOf(bareAt(path), to)]
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  const changed = names.filter((name) => before.get(name) !== after.get(name))
  const moved = movesOf(changed, before, after)
  const gone = new Set(moved.values())
  return changed.filter((name) => !gone.has(name)).map((name) => fileDiff(name, moved.get(name), before, after))
}

/** New name to old: files that moved unchanged. Git also finds those that changed a little. */
function movesOf(changed: readonly string[], before: Tree, after: Tree): ReadonlyMap<string, string> {
  const removed = changed.filter((name) => !after.has(name) && before.get(name) !== '')
  const moved = new Map<string, string>()
  for (const name of changed.filter((one) => !before.has(one))) {
    const at = removed.findIndex((old) => before.get(old) === after.get(name))
    if (at >= 0) moved.set(name, removed.splice(at, 1)[0]!)
  }
  return moved
}

function fileDiff(path: string, previousPath: string | undefined, before: Tree, after: Tree): FileDiff {
  const text = after.get(path) ?? before.get(path) ?? ''
  const sha = blobOf(text)
  if (previousPath !== undefined)
    return { path, previousPath, status: 'renamed', sha, additions: 0, deletions: 0, patch: undefined }
  const [old, now] = [linesOf(before.get(path)), linesOf(after.get(path))]
  const { from, to, lines } = changeOf(old, now)
  const status = before.has(path) ? (after.has(path) ? 'modified' : 'removed') : 'added'
  const counts = { additions: lines.length, deletions: to - from }
  const patch = lines.length + to - from === 0 ? undefined : hunk(old, { from, to, lines })
  return { path, previousPath: null, status, sha, ...counts, patch }
}

function hunk(old: readonly string[], { from, to, lines }: Change): string {
  const [lead, trail] = [old.slice(Math.max(0, from - CONTEXT), from), old.slice(to, to + CONTEXT)]
  const start = from - lead.length
  const span = (changed: number): string => {
    const count = lead.length + changed + trail.length
    return `${count === 0 ? start : start + 1}${count === 1 ? '' : `,${count}`}`
  }
  const marked = (sign: string, some: readonly string[]): string[] =>
    some.map((line) => sign + (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))
  const body = [...marked(' ', lead), ...marked('-', old.slice(from, to)), ...marked('+', lines), ...marked(' ', trail)]
  return `@@ -${span(to - from)} +${span(lines.length)} @@\n${body.join('')}`.replace(/\n$/, '')
}

interface Change {
  /** Of the old lines: the first that changed, and the first after them that did not. */
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

export function changeOf(old: readonly string[], now: readonly string[]): Change {
  const shorter = Math.min(old.length, now.length)
  let from = 0
  while (from < shorter && old[from] === now[from]) from += 1
  let tail = 0
  while (tail < shorter - from && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  return { from, to: old.length - tail, lines: now.slice(from, now.length - tail) }
}

/** Each with its line end, if it has one. */
export function linesOf(text: string | undefined): readonly string[] {
  return text?.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

export async function diffText(path: string, from: string, to: string): Promise<string> {
  const files = await diffFiles(path, from, to)
  return files
    .map(({ path: name, previousPath, patch }) => {
      const old = previousPath ?? name
      const moved = previousPath === null ? '' : `similarity index 100%\nrename from ${old}\nrename to ${name}\n`
      const body = patch === undefined ? '' : `--- a/${old}\n+++ b/${name}\n${patch}\n`
      return `diff --git a/${old} b/${name}\n${moved}${body}`
    })
    .join('')
}
