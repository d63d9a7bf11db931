/** An Issue (ISSUE-RESOURCE): its actor's word, and what the mirror has of it. */
import type { Grant, IssueContext } from '../../machines/issue/context.ts'
import { bounded } from './bounded.ts'
import { apiVersion, metadataOf, stateOf, time, type ActorShape, type DerivedResource } from './shape.ts'

/** What no actor has; of an issue that the mirror has not, nothing. */
export interface IssueMirror {
  readonly labels?: readonly string[]
  /** Whatever its actor was told of it. */
  readonly state?: string
  /** How many comments live. */
  readonly comments?: number
  /** When the mirror of its Project was last read back. */
  readonly syncedAt?: number | null
}

/** Undefined before the forge was read: no resource is shown without its facts. */
export function issueResource(
  actor: ActorShape<IssueContext>,
  mirrored: IssueMirror = {},
): DerivedResource | undefined {
  const { facts, owner, grant } = actor.context
  if (facts === null) return undefined
  const spec = { repositoryRef: facts.repository, number: facts.number }
  const status = {
    status: stateOf(actor),
    state: mirrored.state ?? facts.state,
    title: facts.title,
    author: facts.author,
    url: facts.url,
    selfProposed: facts.selfProposed,
    ownerTask: owner || null,
    approval: grant && approvalStatus(grant),
    labels: mirrored.labels,
    comments: mirrored.comments,
    lastSyncTime: time(mirrored.syncedAt ?? null),
  }
  return { apiVersion, kind: 'Issue', metadata: metadataOf(actor), spec, status: bounded(status) }
}

/** `self`: granted without a maintainer's comment, within `autoApproveMaxSignificance`. */
function approvalStatus({ commentId, author, quote, bodyHash, planHash, at, self }: Grant): object {
  const evidence = self
    ? { commentId: null, author: null, quote: null, bodyHash: null, sort: 'self' }
    : { commentId, author, quote, bodyHash, sort: 'comment' }
  return { ...evidence, planHash, at: time(at) }
}
