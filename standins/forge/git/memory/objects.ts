/**
 * Repositories in memory: commits with their whole trees, refs, and the few questions that the local forge asks of git.
 * Names of commits are hashes over all that a commit says, so the same seed makes the same ones.
 */
import { createHash } from 'node:crypto'

/** Texts by path. */
export type Tree = ReadonlyMap<string, string>

export interface Person {
  readonly name: string
  readonly email: string
  readonly date: string
}

export interface StoredCommit {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Person
  readonly committer: Person
  readonly message: string
}

export interface Bare {
  readonly refs: Map<string, string>
  readonly commits: Map<string, StoredCommit>
  readonly trees: Map<string, Tree>
}

const repositories = new Map<string, Bare>()

export function bareAt(path: string): Bare {
  const found = repositories.get(path)
  if (!found) throw new Error(`there is no repository ${path}`)
  return found
}

export function makeBare(path: string): Bare {
  const bare: Bare = { refs: new Map(), commits: new Map(), trees: new Map() }
  repositories.set(path, bare)
  return bare
}

export function forgetRepositories(): void {
  repositories.clear()
}

export function hashed(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

/** The id that git gives to a file's text. */
export function blobOf(text: string): string {
  return hashed(`blob ${Buffer.byteLength(text)}\0${text}`)
}

export function keepTree(bare: Bare, files: Tree): string {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sha = hashed(`tree ${JSON.stringify(sorted)}`)
  bare.trees.set(sha, new Map(sorted))
  return sha
}

export function keepCommit(bare: Bare, commit: Omit<StoredCommit, 'sha'>): string {
  const sha = hashed(`commit ${JSON.stringify(commit)}`)
  bare.commits.set(sha, { ...commit, sha })
  return sha
}

export function commitAt(bare: Bare, sha: string): StoredCommit {
  const found = bare.commits.get(sha)
  if (!found) throw new Error(`no commit ${sha}`)
  return found
}

export function filesOf(bare: Bare, commit: string): Tree {
  return bare.trees.get(commitAt(bare, commit).tree) ?? new Map<string, string>()
}

/** The commit and all before it, each before its parents; of a merge the last parent's line comes first, as in git. */
export function historyOf(bare: Bare, sha: string): readonly string[] {
  const done = new Set<string>()
  const stack = [{ sha, isLeft: false }]
  const seen = new Set<string>()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.isLeft) done.add(next.sha)
    else if (!seen.has(next.sha) && bare.commits.has(next.sha)) {
      seen.add(next.sha)
      const parents = commitAt(bare, next.sha).parents.toReversed()
      stack.push({ sha: next.sha, isLeft: true }, ...parents.map((parent) => ({ sha: parent, isLeft: false })))
    }
  }
  return [...done].toReversed()
}
