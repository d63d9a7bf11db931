/** A mirror over actors and an API server in the test's memory, under a simulated clock. */
import { setImmediate } from 'node:timers/promises'
import { kinds } from '../../../crd/kinds.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import { captureLog } from '../../../http/testing/fixture.ts'
import { sliceBehind } from '../../../http/problems/list.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { ActorView, JournalRow, Runtime } from '../../../runtime/runtime.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { viewKey } from '../../ports/resource-views.ts'
import { claimAnnotation } from '../api/marks.ts'
import { createMirror, type MirrorDeps } from '../mirror/mirror.ts'
import { FakeCache } from './fake-cache.ts'
import { MemoryServer } from './memory-server.ts'

export const at = Date.parse('2026-01-02T03:04:05Z')
export const store = 'store-1'

/** What actors show now, by `<Kind>/<namespace>/<name>`, and the contexts of those that are read themselves. */
export class FakeActors {
  readonly views: Map<string, DerivedResource>
  readonly contexts = new Map<string, object>()
  /** Statuses of Projects and Repositories, by key. */
  readonly stored = new Map<string, object>()
  readonly #listeners = new Set<(row: JournalRow) => void>()
  /** Waited for between the read of a status and its answer. */
  slowly: () => Promise<void> = async () => undefined

  constructor(views = new Map<string, DerivedResource>()) {
    this.views = views
  }

  show(view: DerivedResource): void {
    this.views.set(keyOf(view), view)
  }

  stepped(address: ActorAddress): void {
    this.#listeners.forEach((listener) => listener({ address } as JournalRow))
  }

  readonly runtime: MirrorDeps['runtime'] = {
    subscribe: (listener) => {
      this.#listeners.add(listener)
      return () => this.#listeners.delete(listener)
    },
    read: async (address) => {
      const context = this.contexts.get(address)
      return context === undefined ? undefined : ({ address, context } as never)
    },
    list: (async (kind, { after = '' } = {}) => {
      const shown = { task: 'Task', issue: 'Issue', 'merge-request': 'MergeRequest' } as Record<string, string>
      const ids = [...this.views.keys()]
        .filter((key) => key.startsWith(`${shown[kind]}/`))
        .map((key) => key.slice(key.indexOf('/') + 1))
      return ids.filter((id) => id > after).map((id) => ({ id }) as unknown as ActorView)
    }) as Runtime['list'],
  }

  readonly derived: MirrorDeps['derived'] = {
    get: async ({ kind }, namespace, name) => {
      const view = this.views.get(`${kind}/${namespace}/${name}`)
      await this.slowly()
      return view
    },
    list: async ({ kind }, query) => {
      const all = [...this.views.values()].filter(
        (view) => view.kind === kind && (query.namespace ?? view.metadata.namespace) === view.metadata.namespace,
      )
      await this.slowly()
      return sliceBehind(all, viewKey, query)
    },
  }

  readonly statusOf: MirrorDeps['statusOf'] = async ({ kind, namespace, name }) => {
    const status = this.stored.get(`${kind}/${namespace}/${name}`) ?? {}
    await this.slowly()
    return status
  }
}

export function keyOf({ kind, metadata }: DerivedResource): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`
}

/** Project `default/demo` with Repository `default/lib`, claimed. `deliver`: when the watch brings a change. */
export function mirrorUnderTest({
  deliver = (change) => change(),
  ...deps
}: Partial<MirrorDeps> & { readonly deliver?: (change: () => void) => void } = {}) {
  const server = new MemoryServer()
  const annotations = { [claimAnnotation]: store }
  const project = server.create({ kind: 'Project', name: 'default/demo', spec: {}, metadata: { annotations } })
  const repository = server.create({ kind: 'Repository', name: 'default/lib', spec: { projectRef: 'demo' } })
  const actors = new FakeActors()
  const clock = simulatedClock(at)
  const log = captureLog()
  const caches = Object.fromEntries(kinds.map(({ kind }) => [kind, new FakeCache(server, kind, { deliver })]))
  const mirror = createMirror({
    ...{ client: server, caches, clock, logger: log.logger, orchestrator: store },
    ...{ runtime: actors.runtime, derived: actors.derived, statusOf: actors.statusOf },
    random: () => 1,
    lifeOf: async ({ namespace, name }) => `${namespace}/${name}`,
    ...deps,
  })
  return { server, project, repository, actors, clock, log, caches, mirror, settle }
}

/** After what was done it lets everything that waits for no clock go on. */
export async function settle<Done = void>(done?: Done): Promise<Awaited<Done>> {
  const made = await (done as Done)
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  return made
}

export function aTask(name: string, status: object, spec: object = {}): DerivedResource {
  return {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Task',
    metadata: { name, namespace: 'default', generation: 7 },
    spec: {
      ...{ projectRef: 'demo', kind: 'implement', goal: 'Do it', repositories: ['lib'], issues: [], priority: 100 },
      origin: { kind: 'webhook', ref: name },
      ...spec,
    },
    status,
  }
}

export function anEntry(name: string, status: object, sequence = 1): DerivedResource {
  return {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'QueuedEvent',
    metadata: { name, namespace: 'default', generation: 7 },
    spec: {
      ...{ projectRef: 'demo', sort: 'mint', class: 'normal', priority: 100, sequence, kind: 'implement' },
      taskRef: `default/${name}`,
    },
    status,
  }
}

export function anIssue(name: string, status: object): DerivedResource {
  return {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Issue',
    metadata: { name, namespace: 'default', generation: 7 },
    spec: { repositoryRef: 'lib', number: 1 },
    status,
  }
}
