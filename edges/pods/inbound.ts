import { createHash, hkdfSync } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ActorAddress } from '../../machines/definition.ts'
import { TurnComplete } from '../../machines/turn/schema.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { HttpApp } from '../../http/app.ts'
import type { Clock } from '../../http/ports.ts'
import { verifyHmac } from '../../http/auth/hmac.ts'
import { Problem } from '../../http/problems/problem.ts'
import { readTraceparent } from '../../http/tracing/traceparent.ts'
import type { Gone, PodObservation, PodPort } from '../ports/pods.ts'

/** Each pod signs with a key of its own, so that one pod cannot speak for another (SECURITY-RULE-4). */
export function callbackSecret(secret: string, pod: string): string {
  return Buffer.from(hkdfSync('sha256', secret, 'turn-complete', pod, 32)).toString('hex')
}

export interface CallbackDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'read'>
  readonly clock: Clock
  /** Master secret of the callbacks. */
  readonly secret: string
}

export const Acknowledged = Type.Object({ accepted: Type.Boolean() })

/**
 * POST /internal/turn-complete: a hint that a turn ended. The turn actor reads it at the pod before it believes
 * anything; a callback of an older turn or pod, or a second one, is acknowledged and changes nothing.
 */
export function registerTurnComplete(app: HttpApp, deps: CallbackDeps): void {
  app.post(
    '/internal/turn-complete',
    {
      schema: { body: TurnComplete, response: { 200: Acknowledged }, summary: 'A turn ended at its pod' },
      bodyLimit: 8 * 1024 * 1024,
      config: { rawBody: true },
    },
    async (request) => {
      const body = request.body
      const pod = `${body.task}/${body.pod}`
      const { traceparent } = request.headers
      const raw = requirePodSignature(request, deps.secret, pod)
      const key = body.idempotencyKey ?? ''
      if (!key.startsWith(`${pod}/`)) return { accepted: false }
      const turn: ActorAddress = `turn:${key}`
      if ((await deps.runtime.read(turn)) === undefined) return { accepted: false }
      // Of the whole body: a hint that came too early may not use up the key of the one that is due (R3).
      const digest = createHash('sha256').update(raw).digest('hex').slice(0, 16)
      await deps.runtime.deliver({
        to: turn,
        key: `callback/${body.turnId}/${digest}`,
        event: {
          type: 'turn.callback',
          at: deps.clock.now(),
          turnId: body.turnId,
          // Only what hangs somewhere: the journal keeps it, so that a replay gives the same event.
          ...(readTraceparent(traceparent) ? { traceparent } : {}),
        },
      })
      return { accepted: true }
    },
  )
}

/** Answers the bytes that the pod has signed. @throws Problem `signature-invalid` */
export function requirePodSignature(
  { headers, rawBody, body }: Pick<FastifyRequest, 'headers' | 'rawBody' | 'body'>,
  secret: string,
  pod: string,
): Buffer {
  const given = headers['x-platform-signature']
  const raw = rawBody ?? Buffer.from(JSON.stringify(body))
  if (!verifyHmac(callbackSecret(secret, pod), raw, typeof given === 'string' ? given : undefined))
    throw new Problem('signature-invalid', 'X-Platform-Signature is missing or is not this pod’s')
  return raw
}

/** The constant counts, the words are for people. */
function whyGone({ reason, detail }: Gone): Pick<Gone, 'reason' | 'detail'> {
  return { reason, ...(detail === undefined ? {} : { detail }) }
}

/** Pods as the platform sees them become events of their actors; repeats have the same key and change nothing. */
export function watchPods(
  pods: PodPort,
  deps: { readonly runtime: Pick<Runtime, 'deliver'>; readonly clock: Clock },
): () => void {
  return pods.watch((observation) => deliverObservation(observation, deps))
}

export async function deliverObservation(
  observation: PodObservation,
  deps: { readonly runtime: Pick<Runtime, 'deliver'>; readonly clock: Clock },
): Promise<void> {
  const to: ActorAddress = `pod:${observation.pod}`
  const at = deps.clock.now()
  const delivery =
    observation.state === 'ready'
      ? { to, key: `ready/${observation.url}`, event: { type: 'pod.ready', at, url: observation.url } }
      : { to, key: 'vanished', event: { type: 'pod.vanished', at, ...whyGone(observation) } }
  await deps.runtime.deliver(delivery)
}
