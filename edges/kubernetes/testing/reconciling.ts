/** One process that reconciles, over a server and actors that outlive it. */
import { silentLogger } from '../../../runtime/logger.ts'
import { createEventRecorder } from '../api/events.ts'
import { createReconciler, type Reconciler } from '../reconcile/reconcile.ts'
import type { ReconcilerDeps } from '../reconcile/reconcile-deps.ts'
import { FakeActors } from './fake-actors.ts'
import { FakeCache } from './fake-cache.ts'
import { ManualQueue } from './manual-queue.ts'
import { MemoryServer } from './memory-server.ts'

export interface World {
  readonly api: MemoryServer
  readonly actors: FakeActors
  /** By `<namespace>/<name>`. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>
  /** Projects whose actors were asked to check again. */
  readonly checked: string[]
  /** Tasks whose objects the mirror is to make again. */
  readonly recreated: string[]
}

export function createWorld(): World {
  const api = new MemoryServer()
  return { api, actors: new FakeActors(api), secrets: new Map(), checked: [], recreated: [] }
}

export interface Process {
  readonly reconciler: Reconciler
  readonly queue: ManualQueue
  readonly caches: Readonly<Record<'projects' | 'repositories' | 'tasks', FakeCache>>
  /** Works until nothing is left to do, the delays included where `delays` is how often they pass. */
  settle(delays?: number): Promise<void>
  /** Settles after what was done. */
  after<Done>(done: Done, delays?: number): Promise<Awaited<Done>>
  /** Dies: nothing of it acts any more. */
  die(): Promise<void>
}

interface ProcessOptions extends Partial<Pick<ReconcilerDeps, 'orchestrator' | 'watches'>> {
  readonly lags?: boolean
}

export const orchestrator = 'platform/statewright-orchestrator'

export async function startProcess(world: World, { lags = false, ...options }: ProcessOptions = {}): Promise<Process> {
  const { api, actors, secrets, checked, recreated } = world
  const clock = { now: () => Date.parse('2026-11-26T00:00:00Z') }
  const caches = {
    projects: new FakeCache(api, 'Project', { lags }),
    repositories: new FakeCache(api, 'Repository', { lags }),
    tasks: new FakeCache(api, 'Task', { lags }),
  }
  let queue!: ManualQueue
  const reconciler = createReconciler({
    client: api,
    caches,
    hooks: actors.hooks,
    reads: actors.reads,
    secrets: { read: async (namespace, name) => secrets.get(`${namespace}/${name}`) },
    checkAgain: async (project) => void checked.push(project),
    recreate: (task) => void recreated.push(task),
    watches: () => true,
    orchestrator,
    createQueue: (work) => (queue = new ManualQueue(work)),
    events: createEventRecorder({ client: api, clock, logger: silentLogger, instance: 'test' }),
    clock,
    logger: silentLogger,
    ...options,
  })
  async function settle(delays = 0): Promise<void> {
    for (let left = delays; ; left--) {
      for (const cache of Object.values(caches)) cache.deliver()
      await queue.drain()
      if (left === 0) break
      queue.fire()
    }
    const [failure] = queue.failures.values()
    if (failure !== undefined) throw failure
  }
  await reconciler.start()
  return {
    reconciler,
    queue,
    caches,
    settle,
    async after<Done>(done: Done, delays?: number): Promise<Awaited<Done>> {
      const made = await done
      await settle(delays)
      return made
    },
    async die() {
      await reconciler.stop()
      for (const cache of Object.values(caches)) await cache.stop()
    },
  }
}

export const projectSpec = { scmSecretRef: 'scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } }
export const taskSpec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['lib'] }
export const repositorySpec = { projectRef: 'demo' }
