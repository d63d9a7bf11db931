import type { Commit } from '../git/commits.ts'
import { branchOf, ZERO_SHA, type RefUpdate } from '../git/refs.ts'
import { closeNamedIssues } from './closing.ts'
import { setState } from './issues.ts'
import { outdateComments } from './review-comments.ts'
import { pullsOf, refLock, refreshPull } from './pulls.ts'
import type { Merge, Pull, Repository, User } from './records.ts'
import { emit, record, timestamp, type World } from './world.ts'

/** Takes note of what a push has moved: pulls follow their branches, checks start, everybody is told. */
export function acceptPush(
  world: World,
  repository: Repository,
  actor: User,
  updates: readonly RefUpdate[],
): Promise<void> {
  return world.locks.run(refLock(repository), async () => {
    for (const update of updates) await applyRefUpdate(world, repository, actor, update)
  })
}

/** The caller holds the ref lock. */
export async function applyRefUpdate(
  world: World,
  repository: Repository,
  actor: User,
  update: RefUpdate,
): Promise<void> {
  const { ref, before, after } = update
  const commits = await repository.git.pushedCommits(ref, before, after)
  const forced = before !== ZERO_SHA && after !== ZERO_SHA && !(await repository.git.isAncestor(before, after))
  repository.pushedAt = timestamp(world, repository)
  recordPush(world, repository, actor, update, forced)
  emit(world, { type: 'branch.pushed', repository, actor, ref, before, after, forced, commits })
  const branch = branchOf(ref)
  if (branch === undefined) return
  if (after === ZERO_SHA) return closePullsOf(world, repository, actor, branch)
  await followHead(world, repository, actor, branch, update)
  await followBase(world, repository, actor, branch, after)
  if (branch === repository.defaultBranch) closeByCommits(world, repository, actor, commits)
  for (const listener of world.tipListeners) await listener(repository, branch, after)
}

function recordPush(
  world: World,
  repository: Repository,
  actor: User,
  { ref, before, after }: RefUpdate,
  forced: boolean,
): void {
  record(world, actor, 'git.push', repository, {
    ref,
    before,
    after,
    sha: after,
    ...(forced ? { detail: { forced } } : {}),
  })
  if (before === ZERO_SHA) record(world, actor, 'branch.create', repository, { ref, sha: after })
  if (after === ZERO_SHA) record(world, actor, 'branch.delete', repository, { ref, sha: before })
}

function closePullsOf(world: World, repository: Repository, actor: User, branch: string): void {
  for (const pull of openPulls(repository)) {
    if (pull.head === branch || pull.base === branch) setState(world, repository, actor, pull, 'closed')
  }
}

async function followHead(
  world: World,
  repository: Repository,
  actor: User,
  branch: string,
  { before, after }: RefUpdate,
): Promise<void> {
  for (const pull of openPulls(repository).filter((one) => one.head === branch && one.headSha !== after)) {
    const previous = pull.headSha
    const follows = await canFollow(repository, pull)
    if (follows === 'empty') setState(world, repository, actor, pull, 'closed')
    if (follows !== 'yes') continue
    await refreshPull(world, repository, pull)
    await outdateComments(repository, pull, previous)
    // A later push may be on disk already: what is told is where the pull really went.
    const now = pull.headSha
    record(world, actor, 'pull.synchronize', repository, { number: pull.number, sha: now, before, after: now })
    emit(world, { type: 'pull.changed', action: 'synchronize', repository, actor, pull, before, after: now })
  }
}

/**
 * `later`: a branch is gone, or the base holds the old head, and the update that did it settles the pull. `empty`: the
 * head was reset to what the base has, or to an unrelated history; the pull closes and keeps showing what it held.
 */
async function canFollow(repository: Repository, pull: Pull): Promise<'yes' | 'later' | 'empty'> {
  const [head, base] = await Promise.all([repository.git.branchTip(pull.head), repository.git.branchTip(pull.base)])
  if (!head || !base || (await repository.git.isAncestor(pull.headSha, base))) return 'later'
  const related = (await repository.git.mergeBase(base, head)) !== undefined
  return related && !(await repository.git.isAncestor(head, base)) ? 'yes' : 'empty'
}

/** A head that somebody pushed into the base by hand counts as merged, by the one who pushed. */
export async function followBase(
  world: World,
  repository: Repository,
  actor: User,
  branch: string,
  tip: string,
): Promise<void> {
  for (const pull of openPulls(repository).filter((one) => one.base === branch)) {
    if (await repository.git.isAncestor(pull.headSha, tip))
      settleMerge(world, repository, actor, pull, tip, { method: 'push' })
  }
}

/** How it came, and when the forge was asked: what is written after that moment came too late for who asked. */
interface MergeAudit {
  readonly method: Merge['method']
  readonly squash?: string
  readonly askedAt?: string
}

export function settleMerge(
  world: World,
  repository: Repository,
  actor: User,
  pull: Pull,
  sha: string,
  how: MergeAudit,
): void {
  const at = timestamp(world, repository)
  Object.assign(pull, {
    merged: { at, by: actor, sha, method: how.method, ...(how.squash === undefined ? {} : { squash: how.squash }) },
    state: 'closed',
    closedAt: at,
    closedBy: actor,
    updatedAt: at,
  })
  record(world, actor, 'pull.merge', repository, {
    number: pull.number,
    sha: pull.headSha,
    after: sha,
    detail: { ...how, head: pull.headSha, commit: sha },
  })
  emit(world, { type: 'pull.changed', action: 'closed', repository, actor, pull })
  if (pull.base === repository.defaultBranch) closeNamedIssues(world, repository, actor, pull.body ?? '')
}

function closeByCommits(world: World, repository: Repository, actor: User, commits: readonly Commit[]): void {
  for (const commit of commits) closeNamedIssues(world, repository, actor, commit.message)
}

export function openPulls(repository: Repository): Pull[] {
  return pullsOf(repository).filter((pull) => pull.state === 'open')
}
