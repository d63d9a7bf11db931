import { Type, type Static } from 'typebox'
import { At } from '../event.ts'
import { Withholding } from '../turn/schema.ts'
import { TaskSeed } from '../task/events.ts'

/** What an entry asks for: one pod spawn. `mint`: its Task comes into being at admission (QUEUE-9). */
export const QueueEntry = Type.Object({
  entry: Type.String(),
  sort: Type.Union([Type.Literal('mint'), Type.Literal('spawn')]),
  task: Type.String({ description: 'id of the Task, existing or to be minted' }),
  class: Type.Union([Type.Literal('normal'), Type.Literal('alert')]),
  priority: Type.Integer(),
  kind: Type.String(),
  seed: Type.Optional(TaskSeed),
})
export type QueueEntry = Static<typeof QueueEntry>

const Issue = { repository: Type.String(), number: Type.Integer() }

/** The alert that a `mint` comes of, and what the edge found of the newest incident of its fingerprint (ALERTS-6). */
export const FiredAlert = Type.Object({
  fingerprint: Type.String(),
  ended: Type.Optional(Type.Literal(true, { description: 'its Task has ended' })),
  over: Type.Optional(
    Type.Object(
      { task: Type.String(), issue: Type.Optional(Type.Object(Issue)) },
      { description: 'the incident is over, its issue too' },
    ),
  ),
})
export type FiredAlert = Static<typeof FiredAlert>

export const QueueEvent = Type.Union([
  Type.Object({
    type: Type.Literal('queue.configured'),
    ...At,
    maxConcurrentAgents: Type.Integer(),
    capacity: Type.Integer(),
    alertCapacity: Type.Integer(),
  }),
  Type.Object({
    type: Type.Literal('queue.enqueue'),
    ...At,
    ...QueueEntry.properties,
    alert: Type.Optional(FiredAlert),
  }),
  /** The Task of an incident filed this issue. */
  Type.Object({ type: Type.Literal('queue.filed'), ...At, task: Type.String(), ...Issue }),
  Type.Object({ type: Type.Literal('queue.withdraw'), ...At, entry: Type.String() }),
  Type.Object({ type: Type.Literal('queue.release'), ...At, entry: Type.String() }),
  Type.Object({
    type: Type.Literal('queue.budgeted'),
    ...At,
    state: Type.Union([Type.Literal('open'), Type.Literal('normalHeld'), Type.Literal('allHeld')]),
  }),
  /** Which key of the model the Project's pods use from now on, by its print; another one is joined, and the old one left. */
  Type.Object({ type: Type.Literal('queue.keyed'), ...At, key: Type.String() }),
  /** Of the key: the model is withheld from it, until it is tried again. */
  Type.Object({
    type: Type.Literal('queue.withheld'),
    ...At,
    key: Type.String(),
    cause: Withholding,
    message: Type.String(),
    since: Type.Integer(),
    until: Type.Integer(),
    again: Type.Optional(Type.Literal(true, { description: 'the answer to a join: whoever tries goes on' })),
  }),
  Type.Object({ type: Type.Literal('queue.served'), ...At, key: Type.String() }),
  /** One entry may try the model -> `key.probing` | `key.idle`. */
  Type.Object({ type: Type.Literal('queue.probe'), ...At, key: Type.String() }),
  /** An operator's word: nothing is admitted until another one resumes (QUEUE-10). */
  Type.Object({
    type: Type.Literal('queue.paused'),
    ...At,
    by: Type.String({ description: 'the subject of the operator' }),
    reason: Type.String(),
  }),
  Type.Object({ type: Type.Literal('queue.resumed'), ...At, by: Type.String(), reason: Type.String() }),
  /** A ready Project admits; one that is not ready mints and spawns nothing (SCHEDULE-1). */
  Type.Object({ type: Type.Literal('queue.opened'), ...At }),
  Type.Object({ type: Type.Literal('queue.closed'), ...At, reason: Type.String() }),
])
export type QueueEvent = Static<typeof QueueEvent>
