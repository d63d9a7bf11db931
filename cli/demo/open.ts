/** What is still open at the orchestrator and of the forge's webhooks, and what may disturb a run. */
import type { OrchestratorClient } from '../server/client.ts'
import type { Forge } from '../local/standins.ts'

type Live = Readonly<Record<'id' | 'path', string>>

export interface Open extends Readonly<Record<'pods' | 'turns' | 'tasks', readonly Live[]>> {
  readonly effects: readonly { readonly type: string; readonly state: string }[]
  /** What was given up. */
  readonly dead: Open['effects']
}

/** What happens to a run from outside, besides its people. */
export interface Disturbance<Reported> {
  /** Nothing of it is still to come. */
  idle(): boolean
  /** Ends it. Resolves with what it adds to the report. */
  end(): Promise<{ readonly faults: readonly string[]; readonly report: Reported }>
}

/** Undefined while the orchestrator is being started again. */
export async function openOf(client: Pick<OrchestratorClient, 'call'>): Promise<Open | undefined> {
  const all = (await client.call('GET', '/operations/open').catch(() => undefined)) as Omit<Open, 'dead'> | undefined
  const { dead = [], effects = [] } = Object.groupBy(all?.effects ?? [], ({ state }) =>
    state === 'dead' ? state : 'effects',
  )
  return all && { ...all, effects, dead }
}

/** Webhooks whose newest attempt failed before that time. */
export function missed(forge: Forge, before: number): readonly { readonly id: number }[] {
  const newest = new Map(forge.deliveries().map((delivery) => [delivery.guid, delivery]))
  return [...newest.values()].filter(
    ({ status, deliveredAt }) => status === 'failed' && Date.parse(deliveredAt) < before,
  )
}

/** As by hand: a forge never sends one again by itself. */
export function resendMissed(forge: Forge, before: number): void {
  for (const { id } of missed(forge, before)) forge.redeliver(id)
}

/** So long the platform lives without a webhook that found nobody. */
const resendMs = 6_000
const lookMs = 200

/** Once the time of each has come. `idle`: none waits for that. */
export function startResending(forge: Forge, now: () => number): { idle(): boolean; close(): void } {
  const timer = setInterval(() => resendMissed(forge, now() - resendMs), lookMs)
  return { idle: () => missed(forge, now()).length === 0, close: () => clearInterval(timer) }
}
