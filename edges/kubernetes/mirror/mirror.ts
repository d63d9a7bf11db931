/**
 * Actors as objects of the API server. Keys come from three sides: a step, a change that the watch brings, a resync over all
 * there is. For each, the writer reads what is true and writes what differs; the store is the truth, and nothing here
 * decides by what an object has.
 */
import type { DerivedResource } from '../../../crd/status/shape.ts'
import type { RepositorySpec } from '../../../crd/kinds.ts'
import type { Logger } from '../../../http/operational/logging.ts'
import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'
import type { IssueContext } from '../../../machines/issue/context.ts'
import type { ModelKeyContext } from '../../../machines/model-key/context.ts'
import { allActors } from '../../../runtime/all-actors.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { DerivedViews, StatusOf } from '../../ports/resource-views.ts'
import type { Resource } from '../../ports/resources.ts'
import { nameOf, type KubeClient, type KubeObject } from '../api/api.ts'
import { concernsOf, type Relations, type ResourceKey } from './concerns.ts'
import { createDerivedObjects } from './derived-objects.ts'
import { createQueuedEvents } from './queued-events.ts'
import { createStatusPatches, type Caches } from './status-patches.ts'
import { createStatusWriter } from './status-writer.ts'
import { createWorkqueue } from '../api/workqueue.ts'

export interface MirrorDeps {
  readonly client: Pick<KubeClient, 'ask'>
  /** Of all six kinds, by kind. */
  readonly caches: Caches
  readonly runtime: Pick<Runtime, 'subscribe' | 'read' | 'list'>
  readonly derived: DerivedViews
  readonly statusOf: StatusOf
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Each Task that is read, with its object. Neither throws nor waits. */
  readonly shown?: (task: KubeObject, view: DerivedResource) => void
  /** The Task of an object that a person applied, `<namespace>/<name>`: a later life has a name of its own. */
  readonly lifeOf: (task: Resource) => Promise<string>
  /** Which one this is, as it claims Projects. */
  readonly orchestrator: string
}

export interface Mirror {
  /** After the first list of every cache: what was seen of them before is looked at again. */
  start(): void
  /** An object is another than it should be, or is missing. */
  add(key: ResourceKey): void
  /** All actors and all objects, read and written over the next seconds. Never rejects: what fails is logged. */
  resync(): Promise<void>
  /** Empty: every status is whole. */
  degraded(): readonly string[]
  /** Final; resolves once nothing is written any more. */
  stop(): Promise<void>
}

const mirrored: Readonly<Partial<Record<ActorKind, string>>> = {
  task: 'Task',
  issue: 'Issue',
  'merge-request': 'MergeRequest',
}

/** So a resync of thousands leaves room for what changes meanwhile. */
const resyncPerSecond = 200
const lookUpsAtOnce = 4

export function createMirror(deps: MirrorDeps): Mirror {
  const { caches, runtime, clock, random, logger } = deps
  const patches = createStatusPatches(deps)
  const objects = createDerivedObjects(deps)
  const writer = createStatusWriter({ ...deps, patches, objects })
  const entries = createQueuedEvents({ ...deps, patches, objects, moved: (task) => writer.add(task) })
  const relations = relationsOf(deps)
  const steps = createWorkqueue({
    name: 'steps-to-mirror',
    work: async (actor) => (await concernsOf(actor as ActorAddress, relations)).forEach(add),
    ...{ clock, random, logger, parallel: lookUpsAtOnce },
  })
  const ends: (() => void)[] = []

  function add(key: ResourceKey): void {
    const [kind = '', namespace = ''] = key.split('/')
    if (kind === 'QueuedEvent') entries.add(namespace)
    else writer.add(key)
  }

  /** The echo of an own write differs in nothing, and costs a read. */
  function heard(kind: string, name: string): void {
    add(`${kind}/${name}`)
    const owner = caches[kind]?.get(name)
    if (owner !== undefined) objects.waitingFor(owner).forEach(add)
  }

  async function readAll(): Promise<void> {
    const keys = new Set<ResourceKey>()
    for (const [kind, cache] of Object.entries(caches))
      for (const object of cache.list())
        keys.add(kind === 'QueuedEvent' ? entriesOf(object) : `${kind}/${nameOf(object)}`)
    for (const [actorKind, kind] of Object.entries(mirrored))
      for await (const { id } of allActors(runtime, actorKind as ActorKind)) keys.add(`${kind}/${id}`)
    for await (const { id } of allActors(runtime, 'queue')) keys.add(`QueuedEvent/${id.slice(0, id.indexOf('/'))}`)
    patches.retry()
    ;[...keys].forEach((key, index) => later(key, (index * 1_000) / resyncPerSecond))
  }

  function later(key: ResourceKey, milliseconds: number): void {
    const [kind = '', namespace = ''] = key.split('/')
    if (kind === 'QueuedEvent') entries.after(namespace, milliseconds)
    else writer.after(key, milliseconds)
  }

  return {
    start() {
      ends.push(runtime.subscribe(({ address }) => steps.add(address)))
      for (const [kind, cache] of Object.entries(caches)) {
        ends.push(cache.subscribe((name) => heard(kind, name)))
        for (const object of cache.list()) heard(kind, nameOf(object))
      }
    },
    add,
    async resync() {
      try {
        await readAll()
      } catch (error) {
        logger.error({ err: error }, 'the resync of objects and statuses failed; the next one repeats it')
      }
    },
    degraded: () => patches.degraded(),
    async stop() {
      ends.splice(0).forEach((end) => end())
      await Promise.all([steps, writer, entries].map((queue) => queue.stop()))
    },
  }
}

function entriesOf({ metadata }: KubeObject): ResourceKey {
  return `QueuedEvent/${metadata.namespace ?? ''}`
}

function relationsOf({ runtime, caches }: Pick<MirrorDeps, 'runtime' | 'caches'>): Relations {
  return {
    async taskOf(issue) {
      const { owner = '' }: Partial<IssueContext> = (await runtime.read(`issue:${issue}`))?.context ?? {}
      return owner === '' ? undefined : owner
    },
    async repositoriesOf(project) {
      const [namespace, name] = project.split('/')
      const all = caches['Repository']?.list(namespace) ?? []
      return all.filter(({ spec }) => (spec as RepositorySpec | undefined)?.projectRef === name).map(nameOf)
    },
    async projectsOf(modelKey) {
      const { projects = [] }: Partial<ModelKeyContext> = (await runtime.read(`model-key:${modelKey}`))?.context ?? {}
      return projects
    },
  }
}
