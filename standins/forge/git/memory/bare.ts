import type { BareSource } from '../bare.ts'
import { keepCommit, keepTree, makeBare, type Tree } from './objects.ts'

/** The first commit's files; undefined leaves the repository empty. */
export type Seed = (source: BareSource) => Tree | undefined

export function readmeOnly(): Tree {
  return new Map([['README.md', '# A library\n']])
}

export async function createBare(seed: Seed, path: string, source: BareSource): Promise<string> {
  const { defaultBranch = 'main' } = source
  const bare = makeBare(path)
  const files = seed(source)
  if (!files) return defaultBranch
  const author = { name: 'acme', email: 'acme@example.com', date: '2026-01-01T00:00:00Z' }
  const sha = keepCommit(bare, {
    tree: keepTree(bare, files),
    parents: [],
    author,
    committer: author,
    message: 'Begin',
  })
  bare.refs.set(`refs/heads/${defaultBranch}`, sha)
  return defaultBranch
}
