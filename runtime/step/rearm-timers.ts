/**
 * What becomes of an upgraded actor's timers (R10). XState names the timer of an `after` by its delay and the path of
 * its state: a renamed state would never hear of the old one, and a state that newer code gave a delay would never
 * have it. So what is armed is compared with what the machine declares for the states that are active now.
 */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate'
import type { MachineDefinition } from '../../machines/definition.ts'
import type { ActorRow, TimerRow } from '../store/rows.ts'

interface Rearmed {
  /** Id and the sequence number that armed it. */
  readonly armed: ReadonlyMap<string, number>
  /** To be written with the next commit; undefined: cleared. */
  readonly changes: ReadonlyMap<string, TimerRow | undefined>
}

const after = 'xstate.after.'

/**
 * Kept: a timer that is declared, or is none of an `after`. Under another id by `renamedTimers`, it keeps its due time.
 * Dropped: one that no active state declares. Armed: a declared one that is not there, its delay counted from the
 * actor's last step, since the state was entered then or before: late at most, never early (R8).
 */
export function rearmTimers(
  { machine, renamedTimers = {} }: MachineDefinition,
  snapshot: AnyMachineSnapshot,
  row: ActorRow,
  stored: readonly TimerRow[],
): Rearmed {
  const declared = snapshot.status === 'done' ? new Map<string, number>() : declaredTimers(machine, snapshot)
  const armed = new Map<string, number>()
  const changes = new Map<string, TimerRow | undefined>()
  const arm = (id: string, dueAt: number): void => {
    const timer = { actor: row.address, id, shard: row.shard, seq: row.seq, dueAt, body: JSON.stringify({ type: id }) }
    armed.set(id, timer.seq)
    changes.set(id, timer)
  }
  for (const { id, seq } of stored) if (declared.has(id) || !id.startsWith(after)) armed.set(id, seq)
  for (const { id, dueAt } of stored) {
    if (armed.has(id)) continue
    changes.set(id, undefined)
    const renamed = renamedTimers[id]
    if (renamed !== undefined && declared.has(renamed) && !armed.has(renamed)) arm(renamed, dueAt)
  }
  for (const [id, delayMs] of declared) if (!armed.has(id)) arm(id, Math.ceil(row.updatedAt + delayMs))
  return { armed, changes }
}

/** By id, with the delay in milliseconds that the actor's context gives it now. */
function declaredTimers(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): Map<string, number> {
  const nodes = (snapshot as unknown as { readonly _nodes: readonly AnyStateNode[] })._nodes
  const timers = nodes.flatMap((node) => node.after.map(({ eventType, delay }) => [eventType, delay] as const))
  return new Map(timers.map(([id, delay]) => [id, delayOf(machine, snapshot, delay)]))
}

function delayOf(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, delay: unknown): number {
  const declared =
    typeof delay === 'string' ? (machine.implementations.delays as Record<string, unknown>)[delay] : delay
  const event = { type: 'snapshot.upgraded' }
  const value: unknown =
    typeof declared === 'function'
      ? (declared as (args: object) => unknown)({ context: snapshot.context, event })
      : declared
  if (typeof value !== 'number' || !(value >= 0))
    throw new Error(`the delay ${String(delay)} of an upgraded state is no number`)
  return value
}
