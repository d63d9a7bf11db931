/** An Issue (ISSUE-RESOURCE). Labels, comments and the time of the last look are in no actor: the mirror alone has them. */
import type { Grant, IssueContext } from '../../machines/issue/context.ts'
import { apiVersion, metadataOf, stateOf, time, type ActorShape, type DerivedResource } from './shape.ts'

export function issueResource(actor: ActorShape): DerivedResource {
  const { facts, owner, grant } = actor.context as IssueContext
  const spec = { repositoryRef: facts?.repository ?? null, number: facts?.number ?? null }
  const status = {
    status: stateOf(actor),
    state: facts?.state ?? null,
    title: facts?.title ?? null,
    author: facts?.author ?? null,
    url: facts?.url ?? null,
    selfProposed: facts?.selfProposed ?? null,
    ownerTask: owner || null,
    approval: grant && approvalStatus(grant),
  }
  return { apiVersion, kind: 'Issue', metadata: metadataOf(actor), spec, status }
}

/** `self`: granted without a maintainer's comment, within `autoApproveMaxSignificance`. */
function approvalStatus({ commentId, author, quote, bodyHash, planHash, at, self }: Grant): object {
  const evidence = self
    ? { commentId: null, author: null, quote: null, bodyHash: null, sort: 'self' }
    : { commentId, author, quote, bodyHash, sort: 'comment' }
  return { ...evidence, planHash, at: time(at) }
}
