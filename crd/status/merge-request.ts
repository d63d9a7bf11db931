/** A MergeRequest (MERGE-REQUEST-RESOURCE). */
import type { MergeRequestContext } from '../../machines/merge-request/context.ts'
import { bounded } from './bounded.ts'
import { apiVersion, metadataOf, stateOf, time, type ActorShape, type DerivedResource } from './shape.ts'

/** Undefined before the forge was read: no resource is shown without its facts. */
export function mergeRequestResource(actor: ActorShape<MergeRequestContext>): DerivedResource | undefined {
  const { facts, owner, verdict } = actor.context
  if (facts === null) return undefined
  const spec = { repositoryRef: facts.repository, number: facts.number }
  const status = {
    status: stateOf(actor),
    state: facts.state,
    headBranch: facts.headBranch,
    headSha: facts.headSha,
    baseBranch: facts.baseBranch,
    ci: facts.ci,
    mergeable: facts.mergeable,
    url: facts.url,
    ownerTask: owner || null,
    verdict: verdict && { value: verdict.value, sha: verdict.sha, at: time(verdict.at) },
    // A merged one has no other head any more.
    mergedSha: facts.state === 'merged' ? facts.headSha : null,
  }
  return { apiVersion, kind: 'MergeRequest', metadata: metadataOf(actor), spec, status: bounded(status) }
}
