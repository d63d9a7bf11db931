import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gitText, type Git } from '../git.ts'
import { keptRef } from '../repository.ts'

/** All that git can add; what it can't keeps nothing else back. */
export const addAll = ['add', '--all', '--sparse', '--ignore-errors', '--', '.'] as const

/** A commit of the work tree as it stands, made beside the index and HEAD; undefined when it equals HEAD. */
export async function keepWorkTree(git: Git, dir: string, name: string): Promise<string | undefined> {
  const index = join(dir, '.git', 'statewright-kept-index')
  const run = { cwd: dir, env: { GIT_INDEX_FILE: index } }
  try {
    // Unlike read-tree it knows what the sparse checkout leaves out, and unlike a whole reset it ends no merge.
    await gitText(git, ['reset', '--quiet', 'HEAD', '--', '.'], run)
    await git(addAll, run)
    const tree = await gitText(git, ['write-tree'], run)
    if (tree === (await gitText(git, ['rev-parse', 'HEAD^{tree}'], { cwd: dir }))) return undefined
    const message = `Work tree before the repair ${name}`
    const commit = await gitText(git, ['commit-tree', tree, '-p', 'HEAD', '-m', message], { cwd: dir })
    await gitText(git, ['update-ref', keptRef(name), commit], { cwd: dir })
    return keptRef(name)
  } finally {
    await rm(index, { force: true })
  }
}

/** An operation moves HEAD: what was committed in it has no name any more once the operation is aborted. */
async function keepHead(git: Git, dir: string, name: string): Promise<string> {
  await gitText(git, ['update-ref', keptRef(name), 'HEAD'], { cwd: dir })
  return keptRef(name)
}

export async function keepState(git: Git, dir: string, name: string): Promise<string> {
  return (await keepWorkTree(git, dir, name)) ?? keepHead(git, dir, name)
}
