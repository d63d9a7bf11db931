/** Runtimes over one store and one simulated clock that can be cut off as a crash would cut them off. */
import type { ActorAddress, MachineDefinition, MachineEvent } from '../../machines/definition.ts'
import type { Clock } from '../clock.ts'
import { createRuntime } from '../create-runtime.ts'
import type { RuntimeOptions } from '../options.ts'
import { silentLogger } from '../logger.ts'
import type { Delivery, EffectHandler, EffectHandlers, Runtime } from '../runtime.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { SimulatedClock } from '../simulated-clock.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { podDefinition, toyDefinition } from './toy-machine.ts'

export interface Performed {
  readonly key: string
  readonly name: string
  readonly attempt: number
}

export interface Instance {
  readonly runtime: Runtime
  /** From now on nothing that this instance does reaches the store, the clock or the handlers' answers. */
  crash(): void
}

/** `handlers`: in place of those that note each call. */
export interface LaunchOptions extends Partial<RuntimeOptions> {
  readonly handlers?: EffectHandlers
}

export interface Harness {
  readonly clock: SimulatedClock
  readonly performed: Performed[]
  /** What a handler does beside noting its call; replaced by tests. */
  behave: (call: Performed, signal: AbortSignal) => Promise<readonly Delivery[]>
  start(options?: LaunchOptions): Promise<Instance>
  /** Stops or crashes all that still run. */
  end(): Promise<void>
}

const startAt = 1_700_000_000_000

export function harness(sql: Sql): Harness {
  const clock = simulatedClock(startAt)
  const instances: Instance[] = []
  const self: Harness = {
    clock,
    performed: [],
    behave: async () => [],
    async start({ handlers, ...options } = {}) {
      const line = { isCut: false }
      const runtime = launch(self, sql, options, line)
      const instance = { runtime, crash: () => void (line.isCut = true) }
      instances.push(instance)
      await runtime.start(handlers ?? noting(self, line))
      return instance
    },
    async end() {
      for (const instance of instances) instance.crash()
    },
  }
  return self
}

/** Handlers that note each call, and do what the test says. */
function noting(self: Harness, line: Line): EffectHandlers {
  const handler: EffectHandler = {
    async perform(params, context) {
      const call = { key: context.key, name: String(params['name']), attempt: context.attempt }
      if (!line.isCut) self.performed.push(call)
      return severed(line, self.behave(call, context.signal))
    },
  }
  return { call: handler, callInOrder: { ...handler, ordered: true }, merge: handler }
}

function launch(self: Harness, sql: Sql, options: Partial<RuntimeOptions>, line: Line): Runtime {
  return createRuntime({
    definitions: [toyDefinition, podDefinition] satisfies MachineDefinition[],
    clock: muted(self.clock, line),
    random: () => 0.5,
    logger: silentLogger,
    owner: 'one',
    shards: 4,
    ...options,
    sql: cuttable(options.sql ?? sql, line),
  })
}

interface Line {
  isCut: boolean
}

/** What a crashed process waits for never comes. */
function severed<T>(line: Line, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => void (line.isCut || resolve(value)),
      (error: unknown) => void (line.isCut || reject(error)),
    )
  })
}

function cuttable(sql: Sql, line: Line): Sql {
  const guarded = <T>(run: () => Promise<T>): Promise<T> =>
    line.isCut ? new Promise<T>(() => undefined) : severed(line, run())
  return {
    durability: sql.durability,
    query: (text, params) => guarded(() => sql.query(text, params)) as ReturnType<Queryable['query']> as never,
    exec: (text) => guarded(() => sql.exec(text)),
    tx: (run) => guarded(() => sql.tx(run)),
    close: () => sql.close(),
  }
}

function muted(clock: Clock, line: Line): Clock {
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => void (line.isCut || callback())),
  }
}

export function event(type: string, fields: Readonly<Record<string, unknown>> = {}): MachineEvent {
  return { type, at: startAt, ...fields }
}

export function task(id: string): ActorAddress {
  return `task:${id}`
}

/** Waits for a condition while other work runs; fails after the bound, with what was last seen. */
export async function until<T>(
  look: () => T | Promise<T>,
  isMet: (seen: T) => boolean = Boolean,
  boundMs = 15_000,
): Promise<T> {
  const end = performance.now() + boundMs
  for (;;) {
    const seen = await look()
    if (isMet(seen)) return seen
    if (performance.now() > end) throw new Error(`not within ${boundMs} ms; last seen: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => void setTimeout(resolve, 2))
  }
}

/** Lets the simulated time run while a test waits for what retries and polls bring. */
export function pumping(world: Harness): { stop(): void } {
  const timer = setInterval(() => world.clock.advance(100), 1)
  return { stop: () => clearInterval(timer) }
}
