import type { Forge } from '../local/standins.ts'

/** Deliveries whose newest attempt failed before that time. */
export function missed(forge: Forge, before: number): readonly { readonly id: number }[] {
  const newest = new Map(forge.deliveries().map((delivery) => [delivery.guid, delivery]))
  return [...newest.values()].filter(
    ({ status, deliveredAt }) => status === 'failed' && Date.parse(deliveredAt) < before,
  )
}
