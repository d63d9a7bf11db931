/** A bundle as it may leave the house: masked, and folded once more to see whether it still decides the same. */
import type { Json } from '../../../machines/definition.ts'
import { persistedOf } from '../../step/live-machine.ts'
import type { Known } from '../restore.ts'
import { foldBundle, sameDecisions } from './fold.ts'
import type { Folded } from './fold.ts'
import type { Mask } from './mask.ts'
import type { ActorBundle, BundledSnapshot } from './schema.ts'

/** `known`: the machine of the actor's kind; without one nothing can be folded. */
export function redactBundle(bundle: ActorBundle, known: Known | undefined, mask: Mask): ActorBundle {
  const masked = maskBundle(bundle, mask)
  if (!known) return { ...masked, replay: { ok: false, why: 'there is no machine for this kind of actor' } }
  const folded = foldBundle(known, masked, sameDecisions)
  if (folded.difference !== undefined) return { ...masked, replay: { ok: false, why: folded.difference } }
  return asMade(masked, folded, known.hash)
}

function maskBundle(bundle: ActorBundle, mask: Mask): ActorBundle {
  const masked = <T>(value: T): T => mask(value) as T
  const snapshotOf = (one: BundledSnapshot): BundledSnapshot => ({ ...one, snapshot: masked(one.snapshot) })
  const text = (name: string, value: string | null): string | null =>
    value === null ? null : String((mask({ [name]: value }) as { readonly [field: string]: Json })[name])
  return {
    ...bundle,
    fault: text('fault', bundle.fault),
    baselines: bundle.baselines.map(snapshotOf),
    snapshot: bundle.snapshot && snapshotOf(bundle.snapshot),
    events: bundle.events.map((row) => ({
      ...row,
      key: text('key', row.key) ?? '',
      event: masked(row.event),
      effects: masked(row.effects),
      fault: text('fault', row.fault),
    })),
    effects: bundle.effects.map((effect) => ({
      ...effect,
      params: masked(effect.params),
      lastError: text('lastError', effect.lastError),
    })),
    timers: bundle.timers.map((timer) => ({ ...timer, event: masked(timer.event) })),
  }
}

/** Texts that machines write themselves around what people said: told as this code tells them of the masked events. */
function asMade(masked: ActorBundle, { made }: Folded, hash: string): ActorBundle {
  const { snapshot } = masked
  // One by other code stays as that code left it: an upgrade starts from it.
  const reached = snapshot?.machineHash === hash ? made.get(snapshot.seq) : undefined
  return {
    ...masked,
    replay: { ok: true },
    snapshot: snapshot && reached ? { ...snapshot, snapshot: persistedOf(reached.snapshot) } : snapshot,
    events: masked.events.map((row) => {
      const step = made.get(row.seq)
      return step ? { ...row, effects: step.effects.map(({ type, params }) => ({ type, params: { ...params } })) } : row
    }),
    effects: masked.effects.map((effect) => {
      const params = made.get(effect.seq)?.effects[effect.index]?.params
      return params ? { ...effect, params: { ...params } } : effect
    }),
  }
}
