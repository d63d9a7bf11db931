import type { Forge } from '../local/standins.ts'

/** Deliveries whose newest attempt failed before that time. */
export function missed(forge: Forge, before: number): readonly { readonly id: number }[] {
  const newest = new Map(forge.deliveries().map((delivery) => [delivery.guid, delivery]))
  return [...newest.values()].filter(
    ({ status, deliveredAt }) => status === 'failed' && Date.parse(deliveredAt) < before,
  )
}

/** So long the platform lives without a webhook that found nobody. A forge never sends one again by itself. */
const resendMs = 6_000

/** As by hand. */
export function resendMissed(forge: Forge, now: number): void {
  for (const { id } of missed(forge, now - resendMs)) forge.redeliver(id)
}
