/**
 * What the runtime keeps in memory between steps is what the store would give back, and plans of steps change nothing,
 * for every machine of the registry.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActorAddress, JsonObject } from '../../machines/definition.ts'
import { machines } from '../../machines/registry.ts'
import { bodyOf } from '../../runtime/step/live-machine.ts'
import { readSnapshot, step } from '../../runtime/step/step.ts'
import type { Step, StepOutcome } from '../../runtime/step/step.ts'
import { inEveryHistory } from './history.ts'
import { idOf, kindOf, type Stepped, type Trace } from './world/trace.ts'

const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 60)
const seen = new Set<string>()

test(
  'a step from memory, a step from what was written, one without plans and XState’s own transition are one and the same',
  { timeout: 60_000 + numRuns * 500 },
  () => {
    const property = inEveryHistory(differences, (_trace, found) => new Error(found.slice(0, 3).join('\n')))
    const found = fc.check(property, { numRuns, seed: 20261121 })
    expect(found.failed ? String(found.errorInstance) : '').toBe('')
    // No world meters its turns, knows a key or has a memory: those have laws of their own in property-tests/{spending,model-key,memory}.
    const apart: readonly string[] = ['ledger', 'model-key', 'memory', 'memory-stack']
    const lived = machines.map(({ kind }) => kind).filter((kind) => !apart.includes(kind))
    expect([...seen].toSorted()).toEqual(lived.toSorted())
  },
)

function differences(trace: Trace): readonly string[] {
  const inMemory = new Map<ActorAddress, Step>()
  return trace.flatMap((moment) => (moment.kind === 'stepped' ? differenceOf(moment, inMemory) : []))
}

function differenceOf(moment: Stepped, inMemory: Map<ActorAddress, Step>): readonly string[] {
  const { actor, event } = moment
  const definition = machines.find(({ kind }) => kind === kindOf(actor))!
  seen.add(definition.kind)
  const before = inMemory.get(actor)
  const input = { id: idOf(actor) }
  const stored = before && taken(readSnapshot(definition, JSON.parse(bodyOf(before.snapshot)) as JsonObject))
  const kept = taken(step(definition, before?.snapshot, event, input))
  const read = taken(step(definition, stored?.snapshot, event, input))
  const plain = taken(step(definition, stored?.snapshot, event, input, false))
  inMemory.set(actor, kept)
  const [asKept, asRead, asPlain, asXState] = [
    [bodyOf(kept.snapshot), kept.effects, kept.timersSet, kept.timersCancelled, kept.handled],
    [bodyOf(read.snapshot), read.effects, read.timersSet, read.timersCancelled, read.handled],
    [bodyOf(plain.snapshot), plain.effects, plain.timersSet, plain.timersCancelled, plain.handled],
    moment.effects,
  ].map((side) => JSON.stringify(side))
  const name = `${actor} at ${event.type}`
  return [
    ...(asKept === asRead ? [] : [`${name}: in memory ${asKept}, read again ${asRead}`]),
    ...(asKept === asPlain ? [] : [`${name}: with plans ${asKept}, without ${asPlain}`]),
    ...(JSON.stringify(kept.effects) === asXState ? [] : [`${name}: the effects are not those of transition()`]),
    ...(isSameState(kept, moment) ? [] : [`${name}: the state is not that of transition()`]),
  ]
}

function isSameState({ snapshot }: Step, { after }: Stepped): boolean {
  return (
    sorted(snapshot.value) === sorted(after.value) &&
    sorted(snapshot.context) === sorted(after.context) &&
    snapshot.status === after.status
  )
}

/** Without the order of keys, in which XState's own transition differs from its own restored snapshots. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function taken(outcome: StepOutcome): Step {
  if (outcome.fault) throw new Error(outcome.message)
  return outcome
}
