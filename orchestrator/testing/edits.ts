/**
 * What somebody with all rights does to objects of ours at an API server, by chance: statuses that lie, marks that are
 * gone, objects that are deleted. And what must be true of all objects afterwards. Test code only.
 */
import { isDeepStrictEqual } from 'node:util'
import { kinds } from '../../crd/kinds.ts'
import { withoutNulls } from '../../crd/status/shape.ts'
import { pathOf, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import { closeFinalizer, isMadeByOrchestrator } from '../../edges/kubernetes/api/marks.ts'
import { pathOfObject } from '../../edges/kubernetes/api/objects.ts'
import { preparedStatus } from '../../edges/kubernetes/mirror/status-difference.ts'
import type { Random } from '../../runtime/random.ts'
import type { Cluster, Condition } from './cluster.ts'

export interface Edit {
  readonly what: (typeof edits)[number]
  readonly of: string
}

interface View {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: { readonly conditions?: readonly Condition[] }
}

type Body = Readonly<Record<string, unknown>>

/** Of a kind, a field with a value that each status of it may have. */
const lies: Readonly<Record<string, Body>> = {
  Project: { ready: false, reason: 'ByHand', webhookURL: 'http://nowhere' },
  Repository: { ready: false, reason: 'ByHand', defaultBranch: 'nowhere' },
  Task: { stage: 'delivered', stageReason: 'by hand' },
  QueuedEvent: { state: 'Cancelled', reason: 'by hand' },
  Issue: { state: 'closed', title: 'by hand' },
  MergeRequest: { state: 'merged', title: 'by hand' },
}
const additions: Readonly<Record<string, Body>> = {
  Task: { position: 77, lastTurnFinalText: 'by hand' },
  QueuedEvent: { position: 77 },
  Issue: { owner: 'nobody' },
  MergeRequest: { owner: 'nobody' },
}

const onStatus = {
  lie: ({ kind }: KubeObject): Body => lies[kind]!,
  addition: ({ kind }: KubeObject): Body => additions[kind] ?? {},
  conditions: (): Body => ({ conditions: null }),
  generation: ({ status = {} }: KubeObject): Body => {
    const conditions = (status['conditions'] ?? []) as readonly Condition[]
    return { conditions: conditions.map((one) => ({ ...one, observedGeneration: 99 })) }
  },
  nothing: ({ status = {} }: KubeObject): Body => Object.fromEntries(Object.keys(status).map((name) => [name, null])),
} as const
const onMetadata = {
  labels: { labels: null },
  owners: { ownerReferences: null },
  finalizers: { finalizers: null },
} as const
const edits = [
  ...(['lie', 'addition', 'conditions', 'generation', 'nothing'] as const),
  ...(['labels', 'owners', 'finalizers'] as const),
  'delete',
] as const

export interface EditOptions {
  readonly random: Random
  /** Names of objects that are left alone. */
  readonly spared: readonly string[]
  /** No orchestrator runs: a Task may go without its finalizer, and nobody takes that for the wish to end it. */
  readonly isDown?: boolean
}

/** So many, one after the other; each is what the server took. */
export async function editAtRandom(cluster: Cluster, many: number, options: EditOptions): Promise<readonly Edit[]> {
  const made: Edit[] = []
  for (let left = many; left > 0; left -= 1) {
    const objects = (await objectsOf(cluster)).filter(({ metadata }) => !options.spared.includes(metadata.name))
    const pick = <T>(items: readonly T[]): T => items[Math.floor(options.random() * items.length)]!
    // A kind first: there are more entries of queues than anything else.
    const kind = pick([...new Set(objects.map((one) => one.kind))])
    const object = pick(objects.filter((one) => one.kind === kind))
    const what = pick(edits)
    if (await edit(cluster, object, what, options)) made.push({ what, of: `${object.kind}/${object.metadata.name}` })
  }
  return made
}

async function edit(
  cluster: Cluster,
  object: KubeObject,
  what: Edit['what'],
  { isDown = false }: EditOptions,
): Promise<boolean> {
  if (what === 'delete') return isDerived(object) && (object.kind !== 'Task' || isDown) && vanish(cluster, object)
  if (what in onMetadata) {
    // Its owner is the person who applied it, and its finalizer is what a deletion is known by.
    if (!isDerived(object) && what !== 'finalizers') return false
    return patch(cluster, pathOfObject(object), { metadata: onMetadata[what as keyof typeof onMetadata] })
  }
  const status = onStatus[what as keyof typeof onStatus](object)
  return Object.keys(status).length > 0 && patch(cluster, pathOfObject(object, 'status'), { status })
}

/** Deletes it past its finalizer; false: it is not there. */
export async function vanish(
  cluster: Cluster,
  { kind, metadata: { name } }: { readonly kind: string; readonly metadata: { readonly name: string } },
): Promise<boolean> {
  const path = pathOfObject({ kind, metadata: { name, namespace: cluster.namespace } })
  if (kind === 'Task') await patch(cluster, path, { metadata: { finalizers: null } })
  const { code } = await cluster.kube.ask('DELETE', path)
  return code === 200
}

async function patch({ kube }: Cluster, path: string, body: object): Promise<boolean> {
  const { code, body: answer } = await kube.ask('PATCH', path, body)
  if (code >= 400 && code !== 404) throw new Error(`the server refused an edit of ${path}: ${JSON.stringify(answer)}`)
  return code === 200
}

function isDerived({ kind, ...object }: KubeObject): boolean {
  return (
    ['Issue', 'MergeRequest', 'QueuedEvent'].includes(kind) ||
    (kind === 'Task' && isMadeByOrchestrator({ kind, ...object }))
  )
}

async function objectsOf({ kube, namespace }: Cluster): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { body } = await kube.ask('GET', pathOf(kind, { namespace }))
      return (body['items'] as readonly KubeObject[]).map((one) => ({ ...one, kind: kind.kind }))
    }),
  )
  return lists.flat()
}

/**
 * What is not as the actors are now, in words; empty: each object is there, with the status, spec, label, owner and finalizer
 * that an untouched mirror gives it, and no other is.
 */
export async function differences(cluster: Cluster): Promise<readonly string[]> {
  const [objects, views] = [await objectsOf(cluster), await viewsOf(cluster)]
  const keyOf = ({ kind, metadata }: View | KubeObject): string => `${kind}/${metadata.name}`
  const shown = new Map(views.map((view) => [keyOf(view), view]))
  const missing = views.filter((view) => !isOver(view) && !objects.some((one) => keyOf(one) === keyOf(view)))
  return [
    ...missing.map((view) => `${keyOf(view)} is missing`),
    ...objects.flatMap((object) => {
      const view = shown.get(keyOf(object))
      const faults = view === undefined ? ['nothing shows it'] : faultsOf(object, view, objects)
      return faults.map((fault) => `${keyOf(object)}: ${fault}`)
    }),
  ]
}

/** An entry that left its queue: the store no longer knows what it asked for. */
function isOver({ kind, spec }: View): boolean {
  return kind === 'QueuedEvent' && spec['sort'] === undefined
}

function faultsOf(object: KubeObject, view: View, objects: readonly KubeObject[]): readonly string[] {
  const [is, should] = [object.status ?? {}, preparedStatus(object, view.status)].map(bytesOf)
  return [
    ...(is === should ? [] : [`its status is ${is} in place of ${should}`]),
    ...(isDerived(object) ? marksOf(object, view, objects) : []),
    ...(isHeld(object, view) ? [] : ['it has no finalizer']),
  ]
}

function marksOf(object: KubeObject, view: View, objects: readonly KubeObject[]): readonly string[] {
  const { projectRef, repositoryRef } = view.spec as { readonly projectRef?: string; readonly repositoryRef?: string }
  const name = projectRef ?? repositoryRef
  const kind = projectRef === undefined ? 'Repository' : 'Project'
  const owner = objects.find((one) => one.kind === kind && one.metadata.name === name)
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid)
  return [
    ...(isMadeByOrchestrator(object) ? [] : ['it has no label']),
    ...(isDeepStrictEqual(owners, [owner?.metadata.uid]) ? [] : ['it has not its owner']),
    ...(isOver(view) || isDeepStrictEqual(object.spec, withoutNulls(view.spec)) ? [] : ['it has another spec']),
  ]
}

/** A Project, and a Task that has not ended. */
function isHeld({ kind, metadata }: KubeObject, { status }: View): boolean {
  const isLive = kind === 'Task' && !status.conditions?.some((one) => one.type === 'Complete' && one.status === 'True')
  return !(kind === 'Project' || isLive) || (metadata.finalizers ?? []).includes(closeFinalizer)
}

/**
 * One text for one status: fields and conditions in an order of their names. When a Project was compared with its forge is a
 * fact of each of its Issues; they show it after the next resync.
 */
function bytesOf({ lastSyncTime: _synced, ...status }: Body): string {
  const conditions = (status['conditions'] ?? []) as readonly Condition[]
  const sorted = conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1))
  return JSON.stringify(sortedFields({ ...status, ...(conditions.length > 0 ? { conditions: sorted } : {}) }))
}

function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, sortedFields(field)]))
}

/** As the actors are, read past every object. */
async function viewsOf({ fixture, namespace }: Cluster): Promise<readonly View[]> {
  const token = await fixture.operatorToken()
  const lists = await Promise.all(
    kinds.map(async ({ kind, plural }) => {
      const { body } = await fixture.call(`/resources/${plural}?namespace=${namespace}&limit=200`, { token })
      return (body['items'] as readonly View[]).map((view) => ({ ...view, kind }))
    }),
  )
  return lists.flat()
}
