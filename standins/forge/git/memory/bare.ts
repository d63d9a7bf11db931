/** Every repository begins with one commit of its own. */
import type { BareSource } from '../bare.ts'
import { keepCommit, keepTree, makeBare } from './objects.ts'

export async function createBare(
  path: string,
  _hooks: string,
  { defaultBranch = 'main' }: BareSource,
): Promise<string> {
  const bare = makeBare(path)
  const tree = keepTree(bare, new Map([['README.md', '# A library\n']]))
  const author = { name: 'acme', email: 'acme@example.com', date: '2026-01-01T00:00:00Z' }
  const sha = keepCommit(bare, { tree, parents: [], author, committer: author, message: 'Begin' })
  bare.refs.set(`refs/heads/${defaultBranch}`, sha)
  return defaultBranch
}
