/**
 * The tree that a base has after a merge, made by git itself and kept by nobody: what is written lies in the quarantine.
 * Git 2.38 is the first that merges without a work tree.
 */
import type { MergeMethod } from '../../forge/port.ts'
import { EMPTY_TREE, text, treeOf, UnreadableTreeError, type Git } from './pushed-tree.ts'

interface MergedHeads {
  readonly base: string
  readonly head: string
  /** All of them: criss-cross histories have several. */
  readonly mergeBases: readonly string[]
}

/** `conflicts`: the paths at which the two do not merge. */
type MergeResult = { readonly tree: string } | { readonly conflicts: readonly string[] }

/** Git makes one virtual base of them, merge by merge; no honest history comes near. */
const mostMergeBases = 16
/** A forge rebases one commit at a time as well. */
const mostReplayed = 100

export async function mergeBasesOf(git: Git, base: string, head: string): Promise<readonly string[]> {
  const { code, out } = await git(['merge-base', '--all', base, head])
  const found = out.split('\n').filter((line) => line !== '')
  if (code === 1 && found.length === 0) throw new UnreadableTreeError('it shares no history with its base')
  if (code !== 0 || found.length === 0) throw new UnreadableTreeError('git merge-base did not answer')
  if (found.length > mostMergeBases) throw new UnreadableTreeError('it was merged with its base in too many ways')
  return found
}

export function mergeResult(git: Git, heads: MergedHeads, method: MergeMethod): Promise<MergeResult> {
  return method === 'rebase' ? rebased(git, heads) : merged(git, heads)
}

async function merged(git: Git, { base, head, mergeBases }: MergedHeads): Promise<MergeResult> {
  if (mergeBases.includes(base)) return { tree: await treeOf(git, head) }
  if (mergeBases.includes(head)) return { tree: await treeOf(git, base) }
  return mergeTrees(git, base, head)
}

/** Newer gits ask the attributes of HEAD in a bare repository; a merge driver that one of them names is the forge's affair. */
const withoutAttributes = ['-c', `attr.tree=${EMPTY_TREE}`]

async function mergeTrees(git: Git, base: string, head: string): Promise<MergeResult> {
  const options = ['--write-tree', '-z', '--name-only', '--no-messages']
  const { code, out } = await git([...withoutAttributes, 'merge-tree', ...options, base, head])
  const [tree = '', ...conflicts] = out.split('\0').filter((field) => field !== '')
  // It ends with 1 for an object that is not there as well, and then says nothing.
  if ((code !== 0 && code !== 1) || !/^[0-9a-f]{40}$/.test(tree)) throw new UnreadableTreeError('git cannot merge it')
  return code === 0 ? { tree } : { conflicts: [...new Set(conflicts)] }
}

/** One commit after the other on the base, merges left out, as forges rebase. */
async function rebased(git: Git, { base, head }: MergedHeads): Promise<MergeResult> {
  const range = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--parents', head, `^${base}`]
  const commits = (await text(git, range)).split('\n').filter((line) => line !== '')
  if (commits.length > mostReplayed) throw new UnreadableTreeError(`it has more than ${mostReplayed} commits to rebase`)
  let tree = await treeOf(git, base)
  for (const line of commits) {
    const [commit = '', parent] = line.split(' ')
    if (parent === undefined) throw new UnreadableTreeError('a commit without a parent cannot be rebased')
    // Git 2.39 takes no base to merge with: as a child of the commit's parent, the tip has that parent for one.
    const next = await mergeTrees(git, await commitOf(git, tree, parent), commit)
    if ('conflicts' in next) return next
    tree = next.tree
  }
  return { tree }
}

const nobody = ['-c', 'user.name=statewright', '-c', 'user.email=statewright@localhost']

async function commitOf(git: Git, tree: string, parent: string): Promise<string> {
  return (await text(git, [...nobody, 'commit-tree', tree, '-p', parent, '-m', 'judged'])).trim()
}
