import type { Commit, PushedCommit } from '../commits.ts'
import { ZERO_SHA } from '../refs.ts'
import { bareAt, commitAt, filesOf, historyOf } from './objects.ts'
import type { FileDiff } from '../diff.ts'
import { diffFiles } from './diff.ts'

export async function readCommit(path: string, sha: string): Promise<Commit> {
  return commitAt(bareAt(path), sha)
}

/** `range`: a head, and `^base` for what is left out. */
export async function listCommits(path: string, range: readonly string[], limit = 250): Promise<Commit[]> {
  const bare = bareAt(path)
  const left = new Set(range.filter((one) => one.startsWith('^')).flatMap((one) => historyOf(bare, one.slice(1))))
  const heads = range.filter((one) => !one.startsWith('^') && !one.startsWith('-'))
  const found = heads.flatMap((head) => historyOf(bare, head)).filter((sha) => !left.has(sha))
  return [...new Set(found)].slice(0, limit).map((sha) => commitAt(bare, sha))
}

export async function commitsBetween(path: string, base: string, head: string): Promise<Commit[]> {
  return (await listCommits(path, [head, `^${base}`])).toReversed()
}

export async function pushedCommits(path: string, ref: string, before: string, after: string): Promise<PushedCommit[]> {
  if (after === ZERO_SHA) return []
  const others = [...bareAt(path).refs].filter(([name]) => name !== ref && name.startsWith('refs/heads/'))
  const known = before === ZERO_SHA ? others.map(([, sha]) => `^${sha}`) : [`^${before}`]
  const commits = (await listCommits(path, [after, ...known])).toReversed()
  return Promise.all(commits.map(async (commit) => ({ ...commit, ...(await changed(path, commit)) })))
}

async function changed(path: string, commit: Commit): Promise<Omit<PushedCommit, keyof Commit>> {
  const [parent] = commit.parents
  const all = [...filesOf(bareAt(path), commit.sha).keys()]
  if (parent === undefined) return { added: all, removed: [], modified: [] }
  const files = (await diffFiles(path, parent, commit.sha)).flatMap(unmoved)
  const named = (status: string): string[] => files.filter((file) => file.status === status).map((file) => file.path)
  return { added: named('added'), removed: named('removed'), modified: named('modified') }
}

/** A push names a moved file as removed and added. */
function unmoved(file: FileDiff): ReadonlyArray<Pick<FileDiff, 'path' | 'status'>> {
  if (file.previousPath === null) return [file]
  return [
    { path: file.previousPath, status: 'removed' },
    { path: file.path, status: 'added' },
  ]
}

export async function countCommits(path: string, base: string, head: string): Promise<number> {
  return (await listCommits(path, [head, `^${base}`], Number.POSITIVE_INFINITY)).length
}
