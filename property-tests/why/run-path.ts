/** Lives a moment of a Task again on the real runtime, asks it for its way to `delivered`, and goes that way by deliveries. */
import type { ActorAddress } from '../../machines/definition.ts'
import { taskDefinition } from '../../machines/task/machine.ts'
import { pathToDelivered, type PathStep } from '../../machines/why/way/path.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { EffectHandler, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock, type SimulatedClock } from '../../runtime/simulated-clock.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { effectSchemas } from '../../machines/effect.ts'
import { until } from '../../runtime/contract/harness.ts'
import { renamed, type Moment, type Told } from './told.ts'

export interface Stage {
  readonly runtime: Runtime
  readonly clock: SimulatedClock
  start(): Promise<void>
}

/** The Task alone is real: whom it asks says nothing by itself, so that every word it gets is one of the path's. */
export function stageOver(sql: Sql): Stage {
  const clock = simulatedClock(1_800_000_000_000)
  const mute: EffectHandler = { perform: async () => [] }
  const handlers = Object.fromEntries(Object.keys(effectSchemas).map((type) => [type, mute]))
  const definitions = [taskDefinition]
  const runtime = createRuntime({
    sql,
    definitions,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    owner: 'why',
    shards: 1,
  })
  return { runtime, clock, start: () => runtime.start(handlers) }
}

export interface Arrival {
  /** Undefined: it knows no way. */
  readonly path: readonly PathStep[] | undefined
  /** Where it was afterwards, and at which step it stood elsewhere than was said. */
  readonly stage: string
  readonly astray: string | undefined
}

export async function arrive(stage: Stage, { told }: Pick<Moment, 'told'>, id: string): Promise<Arrival> {
  const address: ActorAddress = `task:${id}`
  let keys = 0
  for (const one of renamed(told, id)) await bring(stage, address, one, `told/${keys++}`)
  const start = (await stage.runtime.read(address))!
  const path = pathToDelivered({ value: start.value, context: start.context as unknown as TaskContext })
  let astray: string | undefined
  for (const [index, step] of (path ?? []).entries()) {
    const timer = step.timer?.split('.')[2]
    const one: Told = timer === undefined ? { ...step.event!, type: step.event!.type } : { timer }
    await bring(stage, address, one, `path/${index}`)
    const at = await stageAt(stage, address)
    if (at !== step.stage) astray ??= `step ${index + 1}, ${step.does}: in ${at} instead of ${step.stage}`
  }
  return { path, stage: await stageAt(stage, address), astray }
}

async function stageAt({ runtime }: Stage, address: ActorAddress): Promise<string> {
  return ((await runtime.read(address))?.context as TaskContext | undefined)?.stage.name ?? ''
}

async function bring({ runtime, clock }: Stage, to: ActorAddress, told: Told, key: string): Promise<void> {
  if (!('timer' in told)) {
    await runtime.deliver({ to, key, event: { at: clock.now(), ...told } })
    return
  }
  const isMeant = ({ id }: { readonly id: string }): boolean => id.includes(`.${told.timer}.`)
  const due = (await runtime.pendingTimers({ actor: to })).find(isMeant)
  if (!due) throw new Error(`no timer ${told.timer} is armed for ${to}`)
  clock.advance(Math.max(0, due.dueAt - clock.now()))
  await until(
    async () =>
      !(await runtime.pendingTimers({ actor: to })).some(({ id, dueAt }) => id === due.id && dueAt === due.dueAt),
  )
}
