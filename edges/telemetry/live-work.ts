/** Tasks and pods that live, from the rows of the store: what ended long ago is never read (ORCHESTRATOR-METRICS-9, ORCHESTRATOR-METRICS-12). */
import { Gauge, type Registry } from 'prom-client'
import { stageReasons } from '../../machines/task/reasons.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { isOfKind } from '../../runtime/of-kind.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import { findActors } from '../../runtime/store/actors/find-actors.ts'
import type { ActorRow } from '../../runtime/store/rows.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { cachedCount } from './cached-count.ts'

interface LiveWorkOptions {
  readonly runtime: Pick<Runtime, 'read'>
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
}

interface LiveTask {
  /** Of the actor, when it was read. */
  readonly seq: number
  readonly kind: string
  readonly stage: string
  readonly reason: string
  readonly enteredAt: number
}

interface LiveWork {
  readonly tasks: readonly LiveTask[]
  /** By phase. */
  readonly pods: ReadonlyMap<string, number>
}

const rowsAtOnce = 1000
/** A usual time between two scrapes. */
const staleMs = 15_000

/** A park's reason, `none` of a stage that needs none. Only words of this program become labels. */
export function reasonLabel(reason: string | null): string {
  if (reason === null) return 'none'
  return Object.hasOwn(stageReasons, reason) ? reason : 'other'
}

export function watchLiveWork({ runtime, sql, clock, logger, registry }: LiveWorkOptions): void {
  let known: ReadonlyMap<string, LiveTask> = new Map()

  /** A Task that did not move since the last count is not read again. */
  async function liveTasks(): Promise<ReadonlyMap<string, LiveTask>> {
    const live = new Map<string, LiveTask>()
    for await (const { address, seq } of liveRows(sql, 'task:')) {
      const before = known.get(address)
      const task = before?.seq === seq ? before : taskOf(await runtime.read(address))
      if (task !== undefined) live.set(address, task)
    }
    return live
  }

  async function count(): Promise<LiveWork> {
    known = await liveTasks()
    const pods = new Map<string, number>()
    for await (const { path } of liveRows(sql, 'pod:')) pods.set(phaseOf(path), (pods.get(phaseOf(path)) ?? 0) + 1)
    return { tasks: [...known.values()], pods }
  }

  const initial: LiveWork = { tasks: [], pods: new Map() }
  const current = cachedCount({ clock, logger, what: 'live work', initial, count, staleMs })
  taskGauges(registry, clock, async () => (await current()).tasks)
  podGauge(registry, async () => (await current()).pods)
}

/** From the index of actors that have not ended. */
async function* liveRows(sql: Sql, prefix: string): AsyncGenerator<ActorRow> {
  for (let after = ''; ;) {
    const rows: readonly ActorRow[] = await findActors(sql, { prefix, status: 'active', after, limit: rowsAtOnce })
    yield* rows
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)!.address
  }
}

function taskOf(view: ActorView | undefined): LiveTask | undefined {
  // It may have ended between the two reads.
  if (view?.status !== 'active' || !isOfKind(view, 'task')) return undefined
  const { kind, stage } = view.context
  const { name, reason, enteredAt } = stage
  return { seq: view.seq, kind, stage: name, reason: reasonLabel(reason), enteredAt }
}

/** `alive.launching.booting` is `launching`, `volumes` itself. */
function phaseOf(path: string): string {
  const [outer = '', inner] = path.split('.')
  return outer === 'alive' && inner !== undefined ? inner : outer
}

function taskGauges(registry: Registry, clock: Clock, tasks: () => Promise<readonly LiveTask[]>): void {
  const byStage = new Gauge({
    name: 'operator_tasks',
    help: 'Tasks that have not ended, by kind of agent, stage and reason.',
    labelNames: ['kind', 'stage', 'reason'],
    registers: [],
    async collect() {
      const live = await tasks()
      this.reset()
      for (const { kind, stage, reason } of live) this.inc({ kind, stage, reason })
    },
  })
  const oldest = new Gauge({
    name: 'operator_tasks_oldest_age_seconds',
    help: 'Time since the first of the Tasks in a stage entered it.',
    labelNames: ['stage'],
    registers: [],
    async collect() {
      const since = new Map<string, number>()
      for (const { stage, enteredAt } of await tasks())
        since.set(stage, Math.min(enteredAt, since.get(stage) ?? enteredAt))
      this.reset()
      for (const [stage, at] of since) this.set({ stage }, Math.max(0, clock.now() - at) / 1000)
    },
  })
  registry.registerMetric(byStage)
  registry.registerMetric(oldest)
}

function podGauge(registry: Registry, pods: () => Promise<LiveWork['pods']>): void {
  const gauge = new Gauge({
    name: 'operator_pods',
    help: 'Pods that have not ended, by phase.',
    labelNames: ['phase'],
    registers: [],
    async collect() {
      const phases = await pods()
      this.reset()
      for (const [phase, total] of phases) this.set({ phase }, total)
    },
  })
  registry.registerMetric(gauge)
}
