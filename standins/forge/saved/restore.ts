import {
  threadKey,
  type CheckRun,
  type CheckSuite,
  type Comment,
  type Hook,
  type Issue,
  type Label,
  type Pull,
  type Repository,
  type Resolution,
  type User,
} from '../store/records.ts'
import { repositoryPath } from '../store/repositories.ts'
import type { World } from '../store/world.ts'
import type { Delivery } from '../webhooks/sender.ts'
import type {
  SavedDelivery,
  SavedIssue,
  SavedPull,
  SavedRepository,
  SavedSuite,
  SavedThread,
  WorldDocument,
} from './document.ts'

/** A document whose parts name each other and don't find each other. */
class BrokenReference extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenReference'
  }
}

/** Fills the empty world. Every user is one record again, since authors are compared by identity. */
export function restoreWorld(world: World, document: WorldDocument): void {
  world.lastId = document.lastId
  for (const user of document.users) world.users.set(user.login.toLowerCase(), user)
  for (const saved of document.repositories) {
    const repository = restoreRepository(world, saved)
    world.repositories.set(`${saved.owner}/${saved.name}`.toLowerCase(), repository)
    world.restored.add(repository)
  }
}

function restoreRepository(world: World, saved: SavedRepository): Repository {
  const user = userOf(world)
  const labels = new Map(saved.labels.map((label) => [label.id, label]))
  const path = repositoryPath(world, saved.owner, saved.name)
  const dialect = saved.dialect ?? 'github'
  return {
    ...saved,
    dialect,
    nextPullNumber: saved.nextPullNumber ?? 1,
    owner: user(saved.owner),
    path,
    git: world.git.at(path),
    permissions: new Map(Object.entries(saved.permissions)),
    mergeMethods: new Set(saved.mergeMethods),
    protection: new Map(Object.entries(saved.protection)),
    rulesets: saved.rulesets ?? [],
    labels: new Map(saved.labels.map((label) => [label.name.toLowerCase(), label])),
    issues: new Map(
      saved.issues.map((issue) => [
        threadKey({ dialect }, issue.kind, issue.number),
        restoreIssue(issue, user, labels),
      ]),
    ),
    hooks: byId(saved.hooks.map(restoreHook)),
    suites: saved.suites.map(restoreSuite),
    statuses: saved.statuses.map((status) => ({
      ...status,
      phase: status.phase ?? null,
      creator: user(status.creator),
    })),
  }
}

function restoreHook(saved: SavedRepository['hooks'][number]): Hook {
  const { dialect = 'github', failures = 0, disabledUntil = null } = saved
  return { ...saved, dialect, failures, disabledUntil }
}

type UserOf = (login: string) => User

function userOf(world: World): UserOf {
  return (login) => {
    const user = world.users.get(login.toLowerCase())
    if (!user) throw new BrokenReference(`it names the user ${login} and has none of that login`)
    return user
  }
}

function restoreIssue(saved: SavedIssue, user: UserOf, labels: ReadonlyMap<number, Label>): Issue {
  return saved.kind === 'pull' ? restorePull(saved, user, labels) : { ...saved, ...restoreThread(saved, user, labels) }
}

function restorePull(saved: SavedPull, user: UserOf, labels: ReadonlyMap<number, Label>): Pull {
  return {
    ...saved,
    ...restoreThread(saved, user, labels),
    merged: saved.merged && { ...saved.merged, by: user(saved.merged.by), method: saved.merged.method ?? 'merge' },
    mergeability: null,
    reviews: byId(saved.reviews.map((review) => ({ ...review, author: user(review.author) }))),
    reviewComments: byId(
      saved.reviewComments.map((comment) => ({
        ...comment,
        author: user(comment.author),
        resolution: restoreResolution(comment.resolution, user),
      })),
    ),
    drafts: byId((saved.drafts ?? []).map((draft) => ({ ...draft, author: user(draft.author) }))),
    reviewers: (saved.reviewers ?? []).map(user),
    versions: saved.versions ?? [],
  }
}

function restoreThread(
  saved: SavedThread,
  user: UserOf,
  labels: ReadonlyMap<number, Label>,
): Pick<Issue, 'author' | 'labels' | 'assignees' | 'comments' | 'closedBy' | 'confidential'> {
  return {
    author: user(saved.author),
    labels: saved.labels.map((id) => labels.get(id) ?? missing(`label ${id} of #${saved.number}`)),
    assignees: saved.assignees.map(user),
    comments: byId(saved.comments.map((comment) => restoreComment(comment, user))),
    confidential: saved.confidential ?? false,
    closedBy: saved.closedBy === null ? null : user(saved.closedBy),
  }
}

function restoreComment(saved: SavedThread['comments'][number], user: UserOf): Comment {
  const { system = false, internal = false, discussion = null } = saved
  const resolution = restoreResolution(saved.resolution, user)
  return { ...saved, author: user(saved.author), system, internal, discussion, resolution }
}

function restoreResolution(saved: { by: string; at: string } | null | undefined, user: UserOf): Resolution | null {
  return saved ? { ...saved, by: user(saved.by) } : null
}

function restoreSuite(saved: SavedSuite): CheckSuite {
  const runs: CheckRun[] = []
  const suite: CheckSuite = { ...saved, isHeld: saved.isHeld === true, runs }
  runs.push(...saved.runs.map((run) => ({ ...run, suite })))
  return suite
}

/** `sign` words the request as the hook stands now: what is sent again must pass its receiver of today. */
export function restoreDeliveries(
  world: World,
  saved: readonly SavedDelivery[],
  sign: (hook: Hook, guid: string, message: Delivery['message']) => Delivery['request'],
): Delivery[] {
  return saved.map((delivery) => {
    const repository = world.repositories.get(delivery.repository.toLowerCase())
    const hook = repository?.hooks.get(delivery.hook)
    if (!repository || !hook) return missing(`hook ${delivery.hook} of delivery ${delivery.id}`)
    const message = { ...delivery.message, action: delivery.message.action }
    return { ...delivery, repository, hook, message, request: sign(hook, delivery.guid, message) }
  })
}

function byId<R extends { readonly id: number }>(records: readonly R[]): Map<number, R> {
  return new Map(records.map((record) => [record.id, record]))
}

function missing(what: string): never {
  throw new BrokenReference(`it names ${what} and does not hold it`)
}
