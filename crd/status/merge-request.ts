/** A MergeRequest (MERGE-REQUEST-RESOURCE). */
import type { MergeRequestContext } from '../../machines/merge-request/context.ts'
import { apiVersion, metadataOf, stateOf, time, type ActorShape, type DerivedResource } from './shape.ts'

export function mergeRequestResource(actor: ActorShape): DerivedResource {
  const { facts, owner, verdict } = actor.context as MergeRequestContext
  const spec = { repositoryRef: facts?.repository ?? null, number: facts?.number ?? null }
  const status = {
    status: stateOf(actor),
    state: facts?.state ?? null,
    headBranch: facts?.headBranch ?? null,
    headSha: facts?.headSha ?? null,
    baseBranch: facts?.baseBranch ?? null,
    ci: facts?.ci ?? null,
    mergeable: facts?.mergeable ?? null,
    url: facts?.url ?? null,
    ownerTask: owner || null,
    verdict: verdict && { value: verdict.value, sha: verdict.sha, at: time(verdict.at) },
    // A merged one has no other head any more.
    mergedSha: facts?.state === 'merged' ? facts.headSha : null,
  }
  return { apiVersion, kind: 'MergeRequest', metadata: metadataOf(actor), spec, status }
}
