/** The product as a contender: its own runtime with its own defaults, and a handler that does nothing. */
import { createRuntime } from '../../../runtime/create-runtime.ts'
import type { ActorAddress, MachineDefinition } from '../../../machines/definition.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { runtimeDefaults } from '../../../runtime/options.ts'
import type { RuntimeOptions } from '../../../runtime/options.ts'
import type { EffectHandler, Runtime } from '../../../runtime/runtime.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { ringDefinition } from './machine.ts'

/** The same owner in each process: one that was killed goes on without waiting for a lease of its own to end. */
const owner = 'bench'

/** Started. `among`: where several processes share one store; `clock`: where the time must not decide. */
export async function startOwnRuntime(
  sql: Sql,
  perform: EffectHandler['perform'],
  among: Pick<RuntimeOptions, 'owner' | 'hint'> &
    Partial<Pick<RuntimeOptions, 'clock'> & { definition: MachineDefinition }> = { owner },
): Promise<Runtime> {
  const { definition = ringDefinition, ...options } = among
  const runtime = createRuntime({
    sql,
    definitions: [definition],
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    ...options,
  })
  await runtime.start({ perform: { perform } })
  return runtime
}

export function actorOf(index: number): ActorAddress {
  return `task:${index}`
}

/** Brings actors into being by their first event, as everything else does. */
export async function openActors(runtime: Runtime, from: number, to: number): Promise<void> {
  const atOnce = 1000
  for (let first = from; first < to; first += atOnce) {
    const last = Math.min(first + atOnce, to)
    const indexes = Array.from({ length: last - first }, (_, offset) => first + offset)
    await Promise.all(
      indexes.map((index) =>
        runtime.deliver({
          to: actorOf(index),
          key: `open-${index}`,
          event: { type: 'ring.opened', at: Date.now(), id: 'open' },
        }),
      ),
    )
  }
}

/**
 * Moves each actor to another place between two snapshots. Those that began together write them together: a window of
 * some steps then has all of them or none, and its write-ahead log was 640 to 1,250 bytes a step (in the mean 810).
 */
export async function spreadActors(runtime: Runtime, actors: number): Promise<void> {
  for (let round = 1; round < runtimeDefaults.snapshotEvery; round++) {
    const moved = Array.from({ length: actors }, (_, index) => index).filter(
      (index) => index % runtimeDefaults.snapshotEvery >= round,
    )
    await Promise.all(
      moved.map((index) => {
        const id = `spread-${index}-${round}`
        return runtime.deliver({ to: actorOf(index), key: id, event: { type: 'ring.moved', at: Date.now(), id } })
      }),
    )
  }
}
