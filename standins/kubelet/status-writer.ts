import { answered, KubeError } from '../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import type { Logger } from '../../http/operational/logging.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import type { Condition } from './pod.ts'

export interface NodeDeps {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** While it is true nothing leaves this node. */
  readonly isLost: () => boolean
  /** Aborted once the kubelet has stopped. */
  readonly stopped: AbortSignal
}

/** As kubelets send it: a list with a merge key keeps what others put there. */
const strategicPatch = 'application/strategic-merge-patch+json'
const retryBounds = { firstMs: 100, longestMs: 5_000 }
const lostPollMs = 100

export const pods = { apiVersion: 'v1', plural: 'pods' }

/** Sends until it is done. Resolves with undefined where the object is gone, or another of its name is there. */
export async function persist<Answer>(deps: NodeDeps, send: () => Promise<Answer>): Promise<Answer | undefined> {
  const { clock, random, logger, stopped } = deps
  for (let failures = 0; ;) {
    while (deps.isLost() && !stopped.aborted) await sleep(clock, lostPollMs, stopped)
    if (stopped.aborted) return undefined
    try {
      return await send()
    } catch (error) {
      if (answered(error, 404) || isOfAnother(error)) return undefined
      if (!(error instanceof KubeError && error.isRetryable)) {
        logger.error({ err: error }, 'the API server refuses what the kubelet sends')
        return undefined
      }
      await sleep(clock, backoffMs(++failures, random, retryBounds), stopped)
    }
  }
}

/** Of a uid that is no more; other conflicts are over with the next try. */
function isOfAnother(error: unknown): boolean {
  return answered(error, 409) && /\buid\b|UID/.test((error as Error).message)
}

export function patchStatus(
  deps: NodeDeps,
  { metadata: { namespace = '', name, uid } }: { readonly metadata: KubeObject['metadata'] },
  status: Readonly<Record<string, unknown>>,
): Promise<KubeObject | undefined> {
  const conditions = status['conditions'] as readonly Condition[] | undefined
  const order =
    conditions === undefined ? {} : { '$setElementOrder/conditions': conditions.map(({ type }) => ({ type })) }
  const path = pathOf(pods, { namespace, name, subresource: 'status' })
  // A patch of a list by key keeps what it does not name, so what a condition no longer has is named.
  const named = conditions?.map((one) => ({ reason: null, message: null, ...one }))
  const body = {
    metadata: { uid },
    status: { ...status, ...order, ...(named === undefined ? {} : { conditions: named }) },
  }
  return persist(deps, () => deps.client.ask('PATCH', path, { body, type: strategicPatch }))
}

/** The kubelet's own: it confirms that nothing of the pod runs any more. The grace counts in the body alone. */
export async function confirmEnd(
  deps: NodeDeps,
  { metadata: { namespace = '', name, uid } }: { readonly metadata: KubeObject['metadata'] },
): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } }
  await persist(deps, () => deps.client.ask('DELETE', pathOf(pods, { namespace, name }), { body }))
}
