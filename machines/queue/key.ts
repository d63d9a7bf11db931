/**
 * What the key of the model holds back here (MODEL-KEY, docs/rules.md). Whom it holds follows from what the queue knows, so
 * Tasks and key are told of each change, whatever made it.
 */
import type { EventOf } from '../decide.ts'
import { tellModelKey, tellTask, type Decision, type EffectAction } from '../emit.ts'
import { nextProbe } from './admission.ts'
import type { QueueContext, WaitingEntry } from './context.ts'
import type { QueueEvent } from './events.ts'

type Does = Decision<QueueContext>

/** Another key knows nothing of this one's hold, and says at once how it stands itself. */
export function keyed(context: QueueContext, { key }: EventOf<QueueEvent, 'queue.keyed'>): Does {
  const joined = tellModelKey(key, { type: 'key.joined', project: context.id })
  if (key === context.key) return { effects: [joined] }
  return { context: { key, hold: null, probe: '' }, effects: [...leave(context), joined] }
}

/** A queue of a deleted Project has nobody to try the key with. */
export function leave({ id, key }: QueueContext): readonly EffectAction[] {
  return key === '' ? [] : [tellModelKey(key, { type: 'key.left', project: id })]
}

export function withheld(context: QueueContext, event: EventOf<QueueEvent, 'queue.withheld'>): Does {
  const { key, cause, message, since, until, again = false } = event
  if (key !== context.key) return {}
  return { context: { hold: { cause, message, since, until }, probe: again ? context.probe : '' } }
}

export function served(context: QueueContext, { key }: EventOf<QueueEvent, 'queue.served'>): Does {
  return key === context.key ? { context: { hold: null, probe: '' } } : {}
}

/** An ask that comes late finds a try that runs. */
function trying({ entries, probe: tries }: QueueContext): WaitingEntry | undefined {
  return entries.find(({ entry }) => entry === tries)
}

/** The entry is admitted in the same step: a try is held back by nothing else. */
export function probe(context: QueueContext, { key }: EventOf<QueueEvent, 'queue.probe'>): Does {
  if (key !== context.key) return {}
  const chosen = context.hold === null ? undefined : (trying(context) ?? nextProbe(context))
  const project = context.id
  if (chosen === undefined) return { effects: [tellModelKey(key, { type: 'key.idle', project })] }
  return {
    context: { probe: chosen.entry },
    effects: [tellModelKey(key, { type: 'key.probing', project, task: chosen.task })],
  }
}

/** Entries whose Tasks are there and may ask for no turn. */
function heldBack({ hold, probe: tries, entries }: QueueContext): readonly WaitingEntry[] {
  if (hold === null) return []
  return entries.filter(({ entry, sort, admittedAt }) => entry !== tries && (sort === 'spawn' || admittedAt !== null))
}

type Is = (one: WaitingEntry) => boolean

/** By name: an entry is another object after each of its changes. */
function isIn(entries: readonly WaitingEntry[]): Is {
  const names = new Set(entries.map(({ entry }) => entry))
  return ({ entry }) => names.has(entry)
}

/** Without a hold nobody is left whom nothing else holds back: he was admitted. */
function isWanted(context: QueueContext): boolean {
  return context.probe === '' && nextProbe(context) !== undefined
}

/** To the Tasks first: who was admitted to try must know that before its slot. */
export function wordsOfHold(before: QueueContext, after: QueueContext): readonly EffectAction[] {
  if (before.hold === null && after.hold === null) return []
  const [was, is] = [heldBack(before), heldBack(after)]
  const [wasHeld, isHeld, isThere] = [was, is, after.entries].map(isIn) as [Is, Is, Is]
  const freed = was.filter((one) => !isHeld(one) && isThere(one))
  const ended = before.entries.filter(
    (one) => one.entry === before.probe && !(isThere(one) && after.key === before.key),
  )
  return [
    ...is.filter((one) => !wasHeld(one)).map(({ task }) => tellTask(task, { type: 'model.withheld' })),
    ...freed.map(({ task }) => tellTask(task, { type: 'model.served' })),
    ...ended.map(({ task }) => tellModelKey(before.key, { type: 'key.probeEnded', project: before.id, task })),
    ...(isWanted(after) && !isWanted(before)
      ? [tellModelKey(after.key, { type: 'key.wanted', project: after.id })]
      : []),
  ]
}
