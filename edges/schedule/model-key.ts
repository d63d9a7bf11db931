/** What a turn says of the key of the model that it ran on (MODEL-KEY, docs/rules.md). */
import { createHmac } from 'node:crypto'
import { Value } from 'typebox/value'
import type { ModelKeyContext } from '../../machines/model-key/context.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import { Withholding, type TurnResult } from '../../machines/turn/schema.ts'
import type { TurnContext } from '../../machines/turn/context.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'

interface ModelKeyDeps {
  readonly runtime: Pick<Runtime, 'read'>
  /** Print of the key that pods get now. */
  readonly modelKey: string
}

export type KeyFacts = Pick<TurnResult, 'state' | 'stopReason' | 'error'>

/** Names a key without saying anything of it: nobody finds the key from its print without the installation's secret. */
export function printOf(key: string, secret: string): string {
  return createHmac('sha256', secret).update(`model-key:${key}`).digest('hex').slice(0, 16)
}

/**
 * Told once for each turn, under its own name (R3). A turn that ended well says nothing while nothing is withheld. Pods that
 * are older than the key may run on another one, and say nothing of it.
 */
export async function modelKeyDeliveries(
  { runtime, modelKey }: ModelKeyDeps,
  turn: string,
  { state, stopReason, error }: KeyFacts,
  at: number,
): Promise<readonly Delivery[]> {
  const to = `model-key:${modelKey}` as const
  const { hold = null, knownSince = null }: Partial<ModelKeyContext> = (await runtime.read(to))?.context ?? {}
  const isWithheld = Value.Check(Withholding, stopReason)
  if (knownSince === null || (!isWithheld && (hold === null || state !== 'completed'))) return []
  const { task, pod }: Partial<TurnContext> = (await runtime.read(`turn:${turn}`))?.context ?? {}
  if (task === undefined || pod === undefined) return []
  const { startedAt }: Partial<PodContext> = (await runtime.read(`pod:${pod}`))?.context ?? {}
  if (startedAt === null || startedAt === undefined || startedAt < knownSince) return []
  if (!isWithheld) return [{ to, key: `served/${turn}`, event: { type: 'key.served', at, task } }]
  const { message = '', resetsAt } = error ?? {}
  const reset = resetsAt === undefined ? {} : { resetsAt: Date.parse(resetsAt) }
  return [
    { to, key: `withheld/${turn}`, event: { type: 'key.withheld', at, task, cause: stopReason, message, ...reset } },
  ]
}
