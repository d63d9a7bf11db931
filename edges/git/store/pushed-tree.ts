/** What commits and trees hold and change, read by git's plumbing: no attribute, filter or setting of a tree is asked. */
import type { GitResult } from './run-git.ts'

export type Git = (args: readonly string[], input?: AsyncIterable<Buffer>) => Promise<GitResult>

export interface TreeEntry {
  readonly mode: string
  readonly sha: string
  readonly size: number
  readonly path: string
}

export interface ChangedPath {
  readonly path: string
  /** Of both sides. */
  readonly modes: readonly [before: string, after: string]
}

export const linkMode = '120000'
/** The side of a change on which the path is not there. */
export const noMode = '000000'
export const gitlinkMode = '160000'

/** git's own name of a tree without entries. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export class UnreadableTreeError extends Error {
  override readonly name = 'UnreadableTreeError'
}

/** Submodules are told even where `.gitmodules` says to ignore them. */
export async function changedPaths(git: Git, from: string, to: string): Promise<readonly ChangedPath[]> {
  const options = ['-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none', '--no-ext-diff', '--no-textconv']
  const fields = (await text(git, ['diff-tree', ...options, from, to])).split('\0')
  const changes: ChangedPath[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = '', after = ''] = (fields[at] ?? '').slice(1).split(' ')
    changes.push({ path: fields[at + 1] ?? '', modes: [before, after] })
  }
  return changes
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return (await text(git, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`])).trim()
}

export async function entriesOf(git: Git, tree: string): Promise<readonly TreeEntry[]> {
  const records = (await text(git, ['ls-tree', '-r', '-l', '-z', '--full-tree', tree])).split('\0')
  return records.flatMap((record) => {
    const [, mode = '', sha = '', size = '', path = ''] = /^(\d+) \w+ (\w+) +(\d+|-)\t(.*)$/s.exec(record) ?? []
    return path === '' ? [] : [{ mode, sha, size: Number(size) || 0, path }]
  })
}

/**
 * The texts of blobs, by their object. Each is headed by the tree's own name: no blob of a tree can hold that, so none can
 * feign another's beginning.
 */
export async function textsOf(
  git: Git,
  tree: string,
  entries: readonly TreeEntry[],
): Promise<ReadonlyMap<string, string>> {
  const shas = [...new Set(entries.map(({ sha }) => sha))]
  if (shas.length === 0) return new Map()
  const asked = [Buffer.from(`${shas.join('\n')}\n`)]
  const out = await text(git, ['cat-file', `--batch=${tree} %(objectname)`], inChunks(asked))
  const found = new Map(
    out
      .split(`${tree} `)
      .slice(1)
      .map((part) => [part.slice(0, 40), part.slice(41, -1)] as const),
  )
  if (found.size !== shas.length) throw new UnreadableTreeError('an object of the change is missing')
  return found
}

async function* inChunks(chunks: readonly Buffer[]): AsyncIterable<Buffer> {
  yield* chunks
}

/** The answer of a git that succeeded. */
export async function text(git: Git, args: readonly string[], input?: AsyncIterable<Buffer>): Promise<string> {
  const { code, out } = await git(args, input)
  if (code !== 0) throw new UnreadableTreeError(`git ${args[0] ?? ''} did not answer`)
  return out
}
