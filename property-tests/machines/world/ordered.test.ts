/** Histories perform effects in any order but the one that the runtime keeps (R6): these hold both sides to it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestFold } from '../../../edges/agents/outcome/request-fold.ts'
import type { AgentApiDeps } from '../../../edges/agents/deps.ts'
import { createForgeHandlers } from '../../../edges/forge/outbound/handlers.ts'
import type { OutboundDeps } from '../../../edges/forge/outbound/deps.ts'
import { scheduleHandlers, type ScheduleDeps } from '../../../edges/schedule/handlers.ts'
import { wrapperHandlers, type WrapperEffectDeps } from '../../../edges/pods/outbound.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { OutboxEffectType } from '../../../machines/effect.ts'
import type { EffectHandler } from '../../../runtime/runtime.ts'
import { inEveryHistory } from '../history.ts'
import { orderedTypes, performable } from './ordered.ts'
import type { Outstanding, Trace } from './trace.ts'

function asked(actor: ActorAddress, type: OutboxEffectType): Outstanding {
  return { key: `${actor}/${type}`, actor, type, params: {} }
}

test('an ordered effect waits for an earlier one of its actor, and for no other', () => {
  const [labels, comment] = [asked('issue:default/lib-1', 'writeLabels'), asked('issue:default/lib-1', 'postComment')]
  const others = [asked('issue:default/lib-2', 'writeLabels'), asked('issue:default/lib-1', 'requestFold')]
  expect(performable([labels, comment, ...others])).toEqual([labels, ...others])
  expect(performable([...others, comment])).toEqual([...others, comment])
})

test('the worlds order what the handlers of the platform order, and nothing else', () => {
  const handlers: Readonly<Record<string, object>> = {
    ...createForgeHandlers({} as OutboundDeps),
    ...scheduleHandlers({} as ScheduleDeps),
    ...wrapperHandlers({} as WrapperEffectDeps),
    requestFold: requestFold({} as AgentApiDeps),
  }
  const ordered = Object.keys(handlers).filter((type) => (handlers[type] as Partial<EffectHandler>).ordered === true)
  expect(ordered.toSorted()).toEqual([...orderedTypes].toSorted())
})

/** Of `<actor>/<seq>/<index>`; no step asks for a thousand effects. */
function placeOf({ key }: Outstanding): number {
  const [seq, index] = key.split('/').slice(-2)
  return Number(seq) * 1000 + Number(index)
}

function overtakings(trace: Trace): readonly string[] {
  const latest = new Map<ActorAddress, number>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'performed' || !orderedTypes.has(moment.effect.type)) return []
    const { actor, type } = moment.effect
    const before = latest.get(actor) ?? 0
    latest.set(actor, placeOf(moment.effect))
    return before > placeOf(moment.effect) ? [`${type} of ${actor} comes after a later write`] : []
  })
}

test('in every history the forge is written in the order in which an actor asked for it', { timeout: 60_000 }, () => {
  const property = inEveryHistory(overtakings, (_trace, found) => new Error(found[0]))
  const found = fc.check(property, { numRuns: 60, seed: 20261121 })
  expect(found.failed ? String(found.errorInstance) : '').toBe('')
})
