/** What a pod may push (GIT-2, GIT-4, GIT-7): its own task branch, forward only, and nothing that would run unseen once it is merged. */
import { messageFault } from '../rules/commit-messages.ts'
import { judgeMerge } from '../rules/judge-merge.ts'
import type { PathGuard } from '../rules/path-guard.ts'
import { NO_OBJECT, type PushCommand } from './push-commands.ts'
import { refusalFor } from '../rules/refusal.ts'
import type { CachedRepository, Quarantine } from '../store/cache.ts'

/** Whether this Task may push now, as its own actors say. */
export type PushRight =
  | { readonly allowed: true; readonly protectedPaths: boolean }
  | { readonly allowed: false; readonly reason: string }

/** By the command alone, before any object is read. */
export function commandFault({ ref, after }: PushCommand, branch: string): string | undefined {
  if (ref.startsWith('refs/tags/')) return 'a pod may not push tags'
  if (ref !== `refs/heads/${branch}`) return `this pod may push only to ${branch}`
  return after === NO_OBJECT ? 'a pod may not delete branches' : undefined
}

interface JudgedBy {
  /** The branch into which the change will be merged; its tip is what the change is judged by. */
  readonly base: string
  readonly guard: PathGuard
  /** It may change protected paths. */
  readonly protectedPaths: boolean
}

/** By the objects. */
export async function contentFault(
  repository: CachedRepository,
  quarantine: Quarantine,
  command: PushCommand,
  { base, guard, protectedPaths }: JudgedBy,
): Promise<string | undefined> {
  const heads = await repository.heads()
  const there = heads.get(command.ref)
  if ((there ?? NO_OBJECT) !== command.before) return 'the branch has moved: fetch first'
  if ((await quarantine.git(['cat-file', '-e', `${command.after}^{commit}`])).code !== 0)
    return 'the object is not a commit'
  if (there !== undefined && !(await isAncestor(quarantine, there, command.after)))
    return 'non-fast-forward: do not rewrite the history of the task branch'
  const closing = await messageFault(quarantine.git, command.after, [...heads.values()])
  if (closing !== undefined) return closing
  if (protectedPaths) return undefined
  const merge = { git: quarantine.git, guard, base: heads.get(`refs/heads/${base}`), head: command.after }
  return refusalFor(await judgeMerge({ ...merge, method: 'merge' }), base)
}

async function isAncestor(quarantine: Quarantine, before: string, after: string): Promise<boolean> {
  return (await quarantine.git(['merge-base', '--is-ancestor', before, after])).code === 0
}
