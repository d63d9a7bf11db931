/** One hunk a file, from its first line to its last. */
import type { FileDiff } from '../../../standins/forge/git/diff.ts'
import { bareAt, filesOf, hashed } from './objects.ts'

export async function diffFiles(path: string, from: string, to: string): Promise<FileDiff[]> {
  const [before, after] = [filesOf(bareAt(path), from), filesOf(bareAt(path), to)]
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names.filter((name) => before.get(name) !== after.get(name)).map((name) => fileDiff(name, before, after))
}

function fileDiff(path: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FileDiff {
  const [old, now] = [linesOf(before.get(path)), linesOf(after.get(path))]
  const status = before.has(path) ? (after.has(path) ? 'modified' : 'removed') : 'added'
  const head = `@@ -${old.length === 0 ? 0 : 1},${old.length} +${now.length === 0 ? 0 : 1},${now.length} @@`
  const lines = [head, ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)]
  return {
    path,
    previousPath: null,
    status,
    sha: hashed(after.get(path) ?? before.get(path) ?? ''),
    additions: now.length,
    deletions: old.length,
    patch: lines.join('\n'),
  }
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

export async function diffText(path: string, from: string, to: string): Promise<string> {
  const files = await diffFiles(path, from, to)
  return files
    .map(({ path: name, patch }) => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n${patch}\n`)
    .join('')
}
