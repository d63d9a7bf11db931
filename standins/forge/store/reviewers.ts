import { demand } from './permissions.ts'
import type { Actor, Pull, Repository, ReviewState, User } from './records.ts'
import { emit, record, timestamp, type World } from './world.ts'

/** Asks these people, and no others, for a review. */
export function setReviewers(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  reviewers: readonly User[],
): void {
  demand(repository, actor, pull.author === actor.user ? 'read' : 'write')
  const from = loginsOf(pull.reviewers)
  pull.reviewers = [...reviewers]
  if (loginsOf(reviewers) === from) return
  pull.updatedAt = timestamp(world, repository)
  record(world, actor.user, 'pull.reviewers', repository, {
    number: pull.number,
    detail: { reviewers: reviewers.map((user) => user.login) },
  })
  const changes = { reviewers: { from } }
  emit(world, { type: 'pull.changed', action: 'edited', repository, actor: actor.user, pull, changes })
}

function loginsOf(users: readonly User[]): string {
  return users.map((user) => user.login).join(',')
}

export interface Verdict {
  readonly user: User
  readonly state: ReviewState
  readonly at: string
}

/** The newest of each reviewer; a comment doesn't take back what was decided before it. */
export function verdictsOf(pull: Pull): Verdict[] {
  const verdicts = new Map<User, Verdict>()
  for (const { author, state, submittedAt } of pull.reviews.values()) {
    const decided = verdicts.get(author)
    if (submittedAt === null || (state === 'COMMENTED' && decided && decided.state !== 'COMMENTED')) continue
    verdicts.set(author, { user: author, state, at: submittedAt })
  }
  return [...verdicts.values()]
}
