/** What a pod may push (GIT-2, GIT-4): its own task branch, forward only, and nothing that would run unseen. */
import { messageFault } from './commit-messages.ts'
import { refusalFor, touchedPaths } from './protected-change.ts'
import type { PathGuard } from './path-guard.ts'
import { NO_OBJECT, type PushCommand } from './push-commands.ts'
import type { CachedRepository, Quarantine } from './cache.ts'

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

/** By the objects. `base`: the branch that the change is measured against. */
export async function contentFault(
  repository: CachedRepository,
  quarantine: Quarantine,
  command: PushCommand,
  base: string,
  right: PushRight & { allowed: true },
  guard: PathGuard,
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
  if (right.protectedPaths) return undefined
  return protectedFault(quarantine, guard, command.after, heads.get(`refs/heads/${base}`))
}

async function isAncestor(quarantine: Quarantine, before: string, after: string): Promise<boolean> {
  return (await quarantine.git(['merge-base', '--is-ancestor', before, after])).code === 0
}

/**
 * Measured over the whole branch against where it left its base, so that splitting a change over pushes hides nothing
 * and merging the base in adds nothing.
 */
async function protectedFault(
  quarantine: Quarantine,
  guard: PathGuard,
  after: string,
  base: string | undefined,
): Promise<string | undefined> {
  const from = base === undefined ? '' : (await quarantine.git(['merge-base', base, after])).out.trim()
  const touched = await touchedPaths(quarantine.git, guard, from === '' ? EMPTY_TREE : from, after)
  if (touched === undefined)
    return 'the git gateway cannot read this change, or its links lead too far: a maintainer must comment /allow-ci-changes'
  return touched.length === 0 ? undefined : refusalFor(touched)
}

/** git's own name of a tree without entries. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
