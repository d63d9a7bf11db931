/**
 * The shortest way of a Task to `delivered`: a breadth-first search over the real machine, from where the Task stands.
 * Every step is XState's own transition, so what is found is what the table does; what could happen is said by
 * `moves.ts`. Bounded: a Task from which no such way is known within the bound is said to have none.
 */
import { initialTransition, transition } from 'xstate'
import type { Owner } from '../../definition.ts'
import type { TaskContext } from '../../task/context.ts'
import type { TaskSeed } from '../../task/events.ts'
import { taskMachine } from '../../task/machine.ts'
import type { Move } from './move.ts'
import { movesOf } from './moves.ts'
import { searchKey } from './search-key.ts'
import { taskTransition, type TaskSnapshot } from './task-transition.ts'

/** Enough for dozens of repositories and issues; where there is no way, it is known after a few hundred. */
const maxStandings = 4000

/** `event` absent: a timer of the Task itself, by this name of its XState event. */
export interface PathStep {
  readonly by: Owner
  readonly does: string
  readonly event?: Move['event']
  readonly timer?: string
  /** Stage afterwards. */
  readonly stage: string
}

interface Stand {
  readonly value: unknown
  readonly context: TaskContext
}

interface Found {
  readonly snapshot: TaskSnapshot
  readonly isTurnOpen: boolean
  readonly from?: Found
  readonly step?: PathStep
}

/** Undefined: there is no way, or none within the bound. Empty: it is delivered. */
export function pathToDelivered({ value, context }: Stand): readonly PathStep[] | undefined {
  const snapshot = taskMachine.resolveState({ value: value as never, context })
  return search({ snapshot, isTurnOpen: isInTurn(snapshot) })
}

/** Of a Task that an entry of the queue will mint: the slot it waits for comes first. */
export function pathFromQueue(
  task: string,
  entry: string,
  seed: TaskSeed,
  at: number,
): readonly PathStep[] | undefined {
  const [blank] = initialTransition(taskMachine, { id: task })
  const [snapshot] = transition(taskMachine, blank, { type: 'task.minted', at, seed, entry })
  const { name: stage } = snapshot.context.stage
  const path = search({ snapshot, isTurnOpen: false })
  return path && [{ by: 'queue', does: 'gives it a slot', event: { type: 'task.minted', seed, entry }, stage }, ...path]
}

function search(start: Found): readonly PathStep[] | undefined {
  const seen = new Set([keyOf(start)])
  const queue: Found[] = [start]
  for (let at = 0; at < queue.length && seen.size < maxStandings; at++) {
    const here = queue[at]!
    if (contextOf(here).stage.name === 'delivered') return stepsTo(here)
    for (const next of successors(here)) {
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.add(key)
      queue.push(next)
    }
  }
  return undefined
}

function contextOf({ snapshot }: Found): TaskContext {
  return snapshot.context
}

function keyOf({ snapshot, isTurnOpen }: Found): string {
  return `${JSON.stringify(snapshot.value)} ${isTurnOpen} ${searchKey(snapshot.context)}`
}

function stepsTo(found: Found): readonly PathStep[] {
  return found.from && found.step ? [...stepsTo(found.from), found.step] : []
}

/** A turn runs, or the call that ended the stage was made in one that has not ended yet. */
function isInTurn(snapshot: TaskSnapshot): boolean {
  const {
    pod: { recordedOutcome, ordinal: podOrdinal },
    turn: { lastPod: lastTurnPod },
  } = snapshot.context
  const isDraining = recordedOutcome?.pod === podOrdinal && lastTurnPod !== podOrdinal
  return isIn(snapshot, 'pod.working.busy') || (isIn(snapshot, 'pod.stopping') && isDraining)
}

function isIn(snapshot: TaskSnapshot, path: string): boolean {
  let below: unknown = snapshot.value
  for (const name of path.split('.')) {
    if (typeof below === 'string') return below === name
    below = (below as Readonly<Record<string, unknown>> | undefined)?.[name]
    if (below === undefined) return false
  }
  return true
}

function successors(here: Found): readonly Found[] {
  const context = contextOf(here)
  const standing = { context, isTurnOpen: here.isTurnOpen, isIn: (path: string) => isIn(here.snapshot, path) }
  const moved = movesOf(standing).map((move) => after(here, { ...move.event, at: context.at }, move))
  const waited = timersOf(here.snapshot).map(({ event, does }) =>
    after(here, { type: event }, { by: 'task', does, timer: event }),
  )
  return [...moved, ...waited]
}

function after(
  from: Found,
  event: { readonly type: string; readonly at?: number },
  { by, does, event: said, timer }: Omit<PathStep, 'stage'>,
): Found {
  const [snapshot, actions] = taskTransition(from.snapshot, event)
  const asksTurn = actions.some(({ params }) => eventIn(params) === 'turn.requested')
  const ends = event.type === 'turn.ended' || event.type === 'pod.final'
  const stage = snapshot.context.stage.name
  const step = { by, does, stage, ...(said ? { event: said } : {}), ...(timer === undefined ? {} : { timer }) }
  const isTurnOpen = asksTurn || (from.isTurnOpen && !ends)
  return { snapshot, isTurnOpen, from, step }
}

function eventIn(params: unknown): string | undefined {
  return (params as { readonly event?: { readonly type: string } } | undefined)?.event?.type
}

interface Timer {
  readonly event: string
  readonly does: string
}

/** Time budgets end stages and bring nobody on; what remains are waits. */
function timersOf(snapshot: TaskSnapshot): readonly Timer[] {
  return snapshot._nodes
    .filter((node) => node.type === 'atomic')
    .flatMap((node) => node.after)
    .filter(({ delay }) => typeof delay === 'string' && delay.endsWith('Delay'))
    .map(({ delay, eventType }) => ({ event: eventType, does: `waits: ${String(delay)}` }))
}
