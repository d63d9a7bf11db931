/**
 * The statuses of objects, from committed snapshots. A key names an object whose status may be another than before: what it
 * is, the writer reads when it writes (level-triggered), so keys that come at once cost one write.
 * 1. The version of the object is taken before its status is read, and fences the write: of two writers, of which one is
 *    slow, none puts an older status over a newer one.
 * 2. An object is patched at most once a second, its first change at once; and read at most four times a second.
 * 3. What fails is retried; of an object that is gone nothing is written.
 */
import { kindNamed } from '../../../crd/kinds.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import type { Random } from '../../../runtime/random.ts'
import type { DerivedViews, StatusOf } from '../../ports/resource-views.ts'
import type { Resource } from '../../ports/resources.ts'
import { nameOf, type KubeObject, type Workqueue } from '../api/api.ts'
import { resourceOf } from '../reconcile/resources.ts'
import type { ResourceKey } from './concerns.ts'
import { isSameOrigin, originOf, workerOf, type DerivedObjects } from './derived-objects.ts'
import { isMadeByOrchestrator } from '../api/marks.ts'
import type { Caches, StatusPatches, Written } from './status-patches.ts'
import { createWorkqueue } from '../api/workqueue.ts'

interface StatusWriterDeps {
  readonly caches: Caches
  /** What an object is now. */
  readonly derived: Pick<DerivedViews, 'get'>
  readonly statusOf: StatusOf
  /** The Task of an object that a person applied, `<namespace>/<name>`: a later life has a name of its own. */
  readonly lifeOf: (task: Resource) => Promise<string>
  readonly objects: Pick<DerivedObjects, 'settle'>
  readonly patches: Pick<StatusPatches, 'write'>
  /** Which one this is, as it claims Projects. */
  readonly orchestrator: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Each Task that is read, with its object. Neither throws nor waits. */
  readonly shown?: (task: KubeObject, view: DerivedResource) => void
}

/** With those of the entries of queues, 8 patches at a time. */
export const patchesAtOnce = 4
export const patchEveryMs = 1_000
/** A step may change nothing that is shown: reading is cheaper than a patch, and not free. */
const readEveryMs = 250
/** An object that is another each time is asked for again later. */
const mostReads = 5

/** Its keys are those of resources. */
export function createStatusWriter(deps: StatusWriterDeps): Workqueue {
  const { clock, random, logger } = deps
  const paces = createPaces(clock)
  const queue = createWorkqueue({ name: 'statuses', work, clock, random, logger, parallel: patchesAtOnce })

  async function work(key: ResourceKey): Promise<void> {
    const restMs = paces.restMs(key)
    if (restMs > 0) return queue.after(key, restMs)
    for (let read = 0; read < mostReads; read += 1) {
      const outcome = await writeNow(deps, key)
      paces.rest(key, outcome === 'written' || outcome === 'partly' ? patchEveryMs : readEveryMs)
      if (outcome === 'partly') queue.after(key, patchEveryMs)
      if (typeof outcome === 'object') queue.add(outcome.instead)
      if (outcome !== 'changed' && outcome !== 'conflict') return
    }
    throw new RetryableError(`${key} was another at each of ${mostReads} reads`)
  }

  return queue
}

type Outcome = Written | 'changed' | 'none' | { readonly instead: ResourceKey }

async function writeNow(deps: StatusWriterDeps, key: ResourceKey): Promise<Outcome> {
  const [kind = '', namespace = '', name = ''] = key.split('/')
  // Before its status is read: rule 1.
  const known = deps.caches[kind]?.get(`${namespace}/${name}`)
  if (kind === 'Project' || kind === 'Repository') return known === undefined ? 'none' : writeStored(deps, known)
  const view = await viewOf(deps, kind, `${namespace}/${name}`, known)
  const settled = await deps.objects.settle(kind, view, known)
  if (settled === 'changed') return 'changed'
  if (view === undefined || settled === 'none') return elsewhere(deps, view, known)
  if (kind === 'Task') deps.shown?.(known!, view)
  return deps.patches.write(known!, view.status)
}

async function writeStored(deps: StatusWriterDeps, known: KubeObject): Promise<Outcome> {
  const worker = workerOf(known, deps.caches)
  if (worker !== undefined && worker !== deps.orchestrator) return 'none'
  return deps.patches.write(known, await deps.statusOf(resourceOf(known).resource))
}

async function viewOf(
  { derived, lifeOf }: StatusWriterDeps,
  kind: string,
  id: string,
  known: KubeObject | undefined,
): Promise<DerivedResource | undefined> {
  const read = async (of: string): Promise<DerivedResource | undefined> => {
    const [namespace = '', name = ''] = of.split('/')
    return (await derived.get(kindNamed(kind)!, namespace, name)) as DerivedResource | undefined
  }
  if (kind !== 'Task' || known === undefined || isMadeByOrchestrator(known)) return read(id)
  if (originOf(known.spec) !== undefined) {
    const named = await read(id)
    if (named !== undefined && isSameOrigin(named, known)) return named
  }
  return (await read(await lifeOf(resourceOf(known).resource))) ?? read(id)
}

/** A later life of a person's Task: the object has the name of the first one. */
function elsewhere({ caches }: StatusWriterDeps, view?: DerivedResource, known?: KubeObject): Outcome {
  if (view?.kind !== 'Task' || known !== undefined) return 'none'
  const uid = originOf(view.spec)?.ref
  const object = caches['Task']!.list(view.metadata.namespace).find((one) => one.metadata.uid === uid)
  return object === undefined ? 'none' : { instead: `Task/${nameOf(object)}` }
}

/** Until when each object is left alone, while that matters. */
function createPaces(clock: Clock): { restMs(key: string): number; rest(key: string, milliseconds: number): void } {
  /** About the earliest first. */
  const dueAt = new Map<string, number>()
  const forgetOld = (): void => {
    for (const [key, at] of dueAt) {
      if (at > clock.elapsed()) return
      dueAt.delete(key)
    }
  }
  return {
    restMs(key) {
      forgetOld()
      return Math.max(0, (dueAt.get(key) ?? 0) - clock.elapsed())
    },
    rest(key, milliseconds) {
      dueAt.delete(key)
      dueAt.set(key, clock.elapsed() + milliseconds)
    },
  }
}
