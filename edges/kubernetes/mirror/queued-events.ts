/**
 * The QueuedEvents of a namespace, all in one pass: its queues are read once for all their entries.
 * 1. Of what waits, the first 50 of each class show their place, and each place is written at most every 10 s: an admission
 *    moves them all. State, entries that came and entries that left do not wait for that.
 * 2. The queues are read at most once a second, and for at most a tenth of the time.
 * 3. Statuses are fenced by the versions that the objects had before the queues were read.
 */
import { kindsByName } from '../../../crd/kinds.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import type { DerivedViews } from '../../ports/resource-views.ts'
import { nameOf, type KubeObject, type Workqueue } from '../api/api.ts'
import type { ResourceKey } from './concerns.ts'
import type { DerivedObjects } from './derived-objects.ts'
import { isMadeByOrchestrator } from '../api/marks.ts'
import { isSameButPosition, preparedStatus, statusDifference, type Plain } from './status-difference.ts'
import type { Caches, StatusPatches } from './status-patches.ts'
import { patchesAtOnce, patchEveryMs } from './status-writer.ts'
import { createWorkqueue } from '../api/workqueue.ts'

interface QueuedEventsDeps {
  readonly caches: Caches
  readonly derived: Pick<DerivedViews, 'list'>
  readonly objects: Pick<DerivedObjects, 'settle'>
  readonly patches: Pick<StatusPatches, 'write'>
  /** A Task that a person applied and whose place in the queue is another than its object shows. */
  readonly moved: (task: ResourceKey) => void
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

const positionsEveryMs = 10_000
const restPerRead = 10
const readAtOnce = 5_000

/** When a namespace had its passes, by `elapsed`. */
interface Passes {
  readonly nextAt: number
  readonly placedAt: number
}

/** Its keys are namespaces. */
export function createQueuedEvents(deps: QueuedEventsDeps): Workqueue {
  const { clock, random, logger } = deps
  const passes = new Map<string, Passes>()
  const queue = createWorkqueue({ name: 'queued-events', work, clock, random, logger, parallel: 1 })

  async function work(namespace: string): Promise<void> {
    const began = clock.elapsed()
    const { nextAt, placedAt } = passes.get(namespace) ?? { nextAt: began, placedAt: Number.NEGATIVE_INFINITY }
    if (nextAt > began) return queue.after(namespace, nextAt - began)
    const isPlacing = placedAt + positionsEveryMs <= began
    const left = await pass(deps, namespace, isPlacing)
    const restMs = Math.max(patchEveryMs, restPerRead * left.readMs)
    const placed = isPlacing ? began : placedAt
    passes.set(namespace, { nextAt: clock.elapsed() + restMs, placedAt: placed })
    if (left.objects) queue.after(namespace, restMs)
    if (left.positions) queue.after(namespace, Math.max(restMs, placed + positionsEveryMs - clock.elapsed()))
  }

  return queue
}

interface Left {
  readonly readMs: number
  /** Of objects that came into being, or were another meanwhile. */
  objects: boolean
  positions: boolean
}

async function pass(deps: QueuedEventsDeps, namespace: string, isPlacing: boolean): Promise<Left> {
  // Before the queues are read: rule 3.
  const known = new Map(deps.caches['QueuedEvent']!.list(namespace).map((one) => [one.metadata.name, one]))
  const began = deps.clock.elapsed()
  const views = await viewsOf(deps, namespace)
  const left: Left = { readMs: deps.clock.elapsed() - began, objects: false, positions: false }
  await inParallel(views, async (view) => {
    const object = known.get(view.metadata.name)
    if (!isPlacing && object !== undefined && isOnlyMoved(object, view)) left.positions = true
    else if (await isLeft(deps, view, object)) left.objects = true
  })
  const shown = new Set(views.map(({ metadata }) => metadata.name))
  const over = [...known.values()].filter(({ metadata }) => !shown.has(metadata.name))
  await inParallel(over, async (object) => void (await deps.objects.settle('QueuedEvent', undefined, object)))
  for (const task of movedTasks(deps, views, isPlacing)) deps.moved(task)
  return left
}

async function viewsOf({ derived }: QueuedEventsDeps, namespace: string): Promise<readonly DerivedResource[]> {
  const all: DerivedResource[] = []
  for (let after = ''; ;) {
    const query = { namespace, after, limit: readAtOnce }
    const views = (await derived.list(kindsByName.QueuedEvent, query)) as readonly DerivedResource[]
    all.push(...views.slice(0, readAtOnce))
    if (views.length <= readAtOnce) return all
    after = `${namespace}/${all.at(-1)!.metadata.name}`
  }
}

function isOnlyMoved(object: KubeObject, view: DerivedResource): boolean {
  const status = preparedStatus(object, view.status)
  if (statusDifference(object, status) === undefined) return false
  return isSameButPosition((object.status ?? {}) as Plain, status)
}

/** True where another pass has to come for it. */
async function isLeft(
  { objects, patches }: QueuedEventsDeps,
  view: DerivedResource,
  object: KubeObject | undefined,
): Promise<boolean> {
  const settled = await objects.settle('QueuedEvent', view, object)
  if (settled !== 'there' || object === undefined) return settled === 'changed'
  const written = await patches.write(object, view.status)
  return written === 'conflict' || written === 'partly'
}

interface Waiting {
  readonly taskRef?: string
}

/** A Task that a person applied shows its place itself until it is minted, and no stage before a queue has it. */
function movedTasks(
  { caches }: QueuedEventsDeps,
  views: readonly DerivedResource[],
  isPlacing: boolean,
): readonly ResourceKey[] {
  return views.flatMap((view) => {
    const task = caches['Task']!.get((view.spec as Waiting).taskRef ?? '')
    if (task === undefined || isMadeByOrchestrator(task)) return []
    const { position } = preparedStatus(task, view.status)
    const hasMoved = isPlacing && position !== task.status?.['position']
    return hasMoved || task.status?.['stage'] === undefined ? [`Task/${nameOf(task)}`] : []
  })
}

/** Stops at the first failure. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: patchesAtOnce }, worker))
}
