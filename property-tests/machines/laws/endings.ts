import type { ActorAddress } from '../../../machines/definition.ts'
import {
  idOf,
  kindOf,
  parentOf,
  performances,
  sentIn,
  stageOf,
  stepsOf,
  taskIn,
  type Stepped,
  type Trace,
} from '../world/trace.ts'
import type { Law } from './law.ts'

const finals: ReadonlySet<string> = new Set(['"delivered"', '"rejected"', '"failed"', '"folded"'])

function movedFinals(trace: Trace): readonly string[] {
  return stepsOf(trace, 'task')
    .filter(({ before, after }) => finals.has(stageOf(before)) && stageOf(before) !== stageOf(after))
    .map(({ actor, before, after, event }) => `${actor} left ${stageOf(before)} for ${stageOf(after)} by ${event.type}`)
}

/** Once: what comes later is answered, and settles nothing. */
function settles({ actor, before, after }: Stepped): boolean {
  return kindOf(actor) === 'task' && after.status === 'done' && before?.status !== 'done'
}

/** What a Task still has at the moment it settles, and whether its pods are all gone by then. */
function leftovers(trace: Trace): readonly string[] {
  const live = new Set<ActorAddress>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'stepped') return []
    if (kindOf(moment.actor) === 'pod') live.add(moment.actor)
    if (moment.after.status === 'done') live.delete(moment.actor)
    return settles(moment) ? leftAt(moment, [...live]) : []
  })
}

function leftAt({ actor, timers, effects, after }: Stepped, live: readonly ActorAddress[]): readonly string[] {
  const pods = live.filter((pod) => parentOf(pod) === idOf(actor))
  const keepsVolume = taskIn(after).pod.ordinal > 0 && !effects.some(({ type }) => type === 'deleteWorkspace')
  return [
    ...timers.map((timer) => `${actor} settled with the timer ${timer}`),
    ...pods.map((pod) => `${actor} settled while ${pod} lives`),
    ...(keepsVolume ? [`${actor} settled and kept its volume`] : []),
  ]
}

/** Every entry that a settled Task asked for itself was given back: by itself, or by the pod that ran on it. */
function slotsKept(trace: Trace): readonly string[] {
  const given = new Set<string>()
  const asked = new Map<string, string>()
  for (const moment of trace) {
    if (moment.kind !== 'stepped') continue
    for (const { to, event } of sentIn(moment)) {
      if (!to.startsWith('queue:')) continue
      if (event.type === 'queue.enqueue' && event['task'] === idOf(moment.actor))
        asked.set(String(event['entry']), moment.actor)
      if (event.type === 'queue.release' || event.type === 'queue.withdraw') given.add(String(event['entry']))
    }
  }
  const settled = new Set(
    stepsOf(trace, 'task')
      .filter(settles)
      .map(({ actor }) => actor as string),
  )
  return [...asked]
    .filter(([entry, task]) => settled.has(task) && !given.has(entry))
    .map(([entry, task]) => `${task} settled and kept the slot ${entry}`)
}

/** A folder in use may not be deleted under its pod [POD-19]. */
function volumesInUse(trace: Trace): readonly string[] {
  return performances(trace, 'deleteWorkspace', 'done').flatMap(({ effect, actors }) =>
    [...actors]
      .filter(
        ([address, { status }]) =>
          kindOf(address) === 'pod' && status === 'active' && parentOf(address) === idOf(effect.actor),
      )
      .map(([pod]) => `the volume of ${pod} was deleted while it lives`),
  )
}

export const law5: Law = {
  number: 5,
  says: 'a final stage never changes; after `settled` no slot, timer, volume or pod',
  breaches: (trace) => [...movedFinals(trace), ...leftovers(trace), ...slotsKept(trace), ...volumesInUse(trace)],
}
