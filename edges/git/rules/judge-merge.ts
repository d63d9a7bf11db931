/**
 * What a merge makes of its base (GIT-7, decisions/0032). A change is judged by the tree that the base has after it, not by
 * the branch's own tree: renames, links and includes that only the base has, and criss-cross histories, make one of the other.
 */
import type { MergeMethod } from '../../forge/port.ts'
import type { MergeJudgement, TouchedPath } from '../../ports/merge-judge.ts'
import { mergeBasesOf, mergeResult } from '../store/merge-result.ts'
import type { PathGuard } from './path-guard.ts'
import { touchedOf } from './protected-change.ts'
import { TooManyProtectedPathsError } from './protected-places.ts'
import { changedPaths, EMPTY_TREE, treeOf, UnreadableTreeError, type Git } from '../store/pushed-tree.ts'
import { viewOf } from './tree-view.ts'

interface JudgedMerge {
  /** With the objects of both sides in sight, in a place that takes new ones. */
  readonly git: Git
  readonly guard: PathGuard
  /** A commit; undefined when the base branch is not there, and the head is all that it becomes. */
  readonly base: string | undefined
  readonly head: string
  /** How the forge will merge. A squash has the tree of a merge. */
  readonly method: MergeMethod
}

/** Never throws for what it reads: what cannot be read is `unreadable`. */
export async function judgeMerge(merge: JudgedMerge): Promise<MergeJudgement> {
  try {
    const { base } = merge
    return await (base === undefined ? judgeFirst(merge) : judgeOn({ ...merge, base }))
  } catch (error) {
    if (error instanceof UnreadableTreeError) return { kind: 'unreadable', reason: error.message }
    if (error instanceof TooManyProtectedPathsError) return { kind: 'unreadable', reason: 'its links lead too far' }
    throw error
  }
}

async function judgeFirst({ git, guard, head }: JudgedMerge): Promise<MergeJudgement> {
  const tree = await treeOf(git, head)
  const sight = { guard, views: [await viewOf(git, guard, tree)], shapes: new Set<string>() }
  const paths = touchedOf(sight, await changedPaths(git, EMPTY_TREE, tree))
  return paths.length > 0 ? { kind: 'protected', paths, tree } : { kind: 'clean', tree }
}

async function judgeOn(merge: JudgedMerge & { readonly base: string }): Promise<MergeJudgement> {
  const { git, guard, base, head, method } = merge
  const mergeBases = await mergeBasesOf(git, base, head)
  const result = await mergeResult(git, { base, head, mergeBases }, method)
  const [before, pushed] = [await treeOf(git, base), await treeOf(git, head)]
  const after = 'tree' in result ? result.tree : undefined
  const trees = new Set([before, pushed, ...(after === undefined ? [] : [after])])
  const views = await Promise.all([...trees].map((tree) => viewOf(git, guard, tree)))
  const sight = { guard, views, shapes: views[0]!.shapes }
  const touched = async (from: string, to: string): Promise<readonly TouchedPath[]> =>
    from === to ? [] : touchedOf(sight, await changedPaths(git, from, to))

  const apart = await touched(before, pushed)
  const own = apart.length === 0 ? new Set<string>() : await ownPaths(git, mergeBases, head)
  const made = after === undefined ? [] : await touched(before, after)
  const changed = [...made, ...apart.filter(({ path }) => own.has(path) && !made.some((one) => one.path === path))]
  if (changed.length > 0) return { kind: 'protected', paths: changed, ...(after !== undefined && { tree: after }) }
  if (!('tree' in result)) return { kind: 'conflict', paths: result.conflicts, reason: reasonOf(method) }
  return apart.length > 0 ? { kind: 'behind', paths: apart, tree: result.tree } : { kind: 'clean', tree: result.tree }
}

/** What the commits of the head changed themselves: it stands so in no merge base. */
async function ownPaths(git: Git, mergeBases: readonly string[], head: string): Promise<ReadonlySet<string>> {
  const changes = await Promise.all(mergeBases.map((from) => changedPaths(git, from, head)))
  const [first = new Set<string>(), ...others] = changes.map((paths) => new Set(paths.map(({ path }) => path)))
  return new Set([...first].filter((path) => others.every((paths) => paths.has(path))))
}

function reasonOf(method: MergeMethod): string {
  return method === 'rebase' ? 'a commit cannot be rebased on the base' : 'it conflicts with the base'
}
