/** What the resource API shows and sets in motion: stored kinds with their actor's word, derived kinds from their actors. */
import type { Kind } from '../../crd/kinds.ts'
import type { RepositorySpec } from '../../crd/kinds.ts'
import { issueResource, type IssueMirror } from '../../crd/status/issue.ts'
import { mergeRequestResource } from '../../crd/status/merge-request.ts'
import { memoryStatus } from '../../crd/status/memory.ts'
import { projectStatus } from '../../crd/status/project.ts'
import { queuedEventResources, type CostFacts } from '../../crd/status/queued-event.ts'
import type { StackActor } from '../../crd/status/memory-stack.ts'
import { repositoryStatus } from '../../crd/status/repository.ts'
import type { DerivedResource } from '../../crd/status/shape.ts'
import { taskResource, type TaskRelations } from '../../crd/status/task.ts'
import { viewKey, type DerivedViews, type PageQuery } from '../../edges/ports/resource-views.ts'
import type { Resource } from '../../edges/ports/resources.ts'
import { scheduleSettings } from '../../edges/schedule/settings.ts'
import type { ProjectSpec } from '../../crd/project.ts'
import { resumeIssues } from './end-project.ts'
import { deliverToMemory } from '../memory/memory-actor.ts'
import type { ResourceViewsDeps } from './resource-deps.ts'
import { ledgerDeliveries } from './spending.ts'
import { waitingTask, waitingTasks } from './tasks-by-hand.ts'
import { sliceBehind } from '../../http/problems/list.ts'
import type { ActorKind } from '../../machines/definition.ts'
import type { LedgerContext } from '../../machines/ledger/context.ts'
import { turnId, type PodContext } from '../../machines/pod/context.ts'
import type { ProjectContext } from '../../machines/project/context.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import { isOfKind } from '../../runtime/of-kind.ts'
import { allActors } from '../../runtime/all-actors.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'

const actorKinds: Readonly<Record<string, ActorKind>> = {
  Task: 'task',
  Issue: 'issue',
  MergeRequest: 'merge-request',
}

type DerivedDeps = Pick<ResourceViewsDeps, 'runtime' | 'threads' | 'resources'>

/** Kinds that only actors write: an actor for each resource, but one queue for all QueuedEvents of a Project. */
export function derivedViews(deps: DerivedDeps): DerivedViews {
  const { runtime } = deps
  return {
    async list(kind, query) {
      if (kind.kind === 'QueuedEvent') return sliceBehind(await queuedEvents(deps, query.namespace), viewKey, query)
      const actorKind = actorKinds[kind.kind]
      if (actorKind === undefined) return []
      const views = await actorViews(deps, kind, actorKind, query)
      if (actorKind !== 'task') return views
      return sliceBehind([...views, ...(await waitingTasks(deps, query.namespace))], viewKey, query)
    },
    async get(kind, namespace, name) {
      if (kind.kind === 'QueuedEvent')
        return (await queuedEvents(deps, namespace)).find(({ metadata }) => metadata.name === name)
      const actorKind = actorKinds[kind.kind]
      const actor = actorKind && (await runtime.read(`${actorKind}:${namespace}/${name}`))
      if (actor !== undefined) return actorView(deps, actor)
      return actorKind === 'task' ? waitingTask(deps, namespace, name) : undefined
    },
  }
}

/** Actors whose facts are not there yet are not shown, and leave no gap in a page. */
async function actorViews(
  deps: DerivedDeps,
  kind: Kind,
  actorKind: ActorKind,
  { namespace, after: begin, limit }: PageQuery,
): Promise<readonly DerivedResource[]> {
  const idPrefix = namespace === undefined ? '' : `${namespace}/`
  const shown: DerivedResource[] = []
  for (let after: string | undefined = begin; after !== undefined && shown.length <= limit;) {
    const actors: readonly ActorView[] = await deps.runtime.list(actorKind, { idPrefix, after, limit: limit + 1 })
    const views = await Promise.all(actors.map((actor) => actorView(deps, actor)))
    shown.push(...views.filter((view) => view !== undefined))
    after = actors.length > limit ? actors.at(-1)!.id : undefined
  }
  return shown.slice(0, limit + 1)
}

async function actorView(deps: DerivedDeps, actor: ActorView): Promise<DerivedResource | undefined> {
  if (isOfKind(actor, 'issue')) return issueResource(actor, await issueMirror(deps, actor))
  if (isOfKind(actor, 'merge-request')) return mergeRequestResource(actor)
  return isOfKind(actor, 'task') ? taskResource(actor, await taskRelations(deps.runtime, actor)) : undefined
}

async function issueMirror({ runtime, threads }: DerivedDeps, { context }: ActorView<'issue'>): Promise<IssueMirror> {
  const { facts } = context
  if (facts === null) return {}
  const { project, repository, number } = facts
  const [issue, comments, actor] = await Promise.all([
    threads.issue(project, repository, number),
    threads.comments(project, repository, number, 'issue'),
    runtime.read(`project:${project}`),
  ])
  if (issue === undefined) return {}
  const { resyncedAt = null }: Partial<ProjectContext> = actor?.context ?? {}
  const { state, labels } = issue
  return { state, labels, comments: comments.length, syncedAt: resyncedAt }
}

async function taskRelations(runtime: Runtime, { id, context }: ActorView<'task'>): Promise<TaskRelations> {
  const {
    forge: { issues },
    pod: { alive: podAlive, ordinal: podOrdinal },
  } = context
  const owned = await Promise.all(issues.map(({ issue }) => runtime.read(`issue:${issue}`)))
  const newest = podOrdinal === 0 ? undefined : await runtime.read(`pod:${id}/${podOrdinal}`)
  const pod = podAlive ? newest : undefined
  const turn = pod && (await openTurn(runtime, pod.context))
  return {
    issues: owned.filter((issue) => issue !== undefined),
    ...(pod ? { pod } : {}),
    ...(newest && !podAlive ? { podEndedAt: newest.updatedAt } : {}),
    ...(turn ? { turn } : {}),
  }
}

async function openTurn(runtime: Runtime, pod: PodContext): Promise<TaskRelations['turn']> {
  if (!pod.turnOpen) return undefined
  const turn = await runtime.read(`turn:${turnId(pod)}`)
  const [asked] = turn ? await runtime.history(turn.address, { limit: 1 }) : []
  return turn && { ...turn, startedAt: asked?.event.at ?? null }
}

async function queuedEvents(
  deps: Pick<ResourceViewsDeps, 'runtime'>,
  namespace: string | undefined,
): Promise<readonly DerivedResource[]> {
  const all: DerivedResource[] = []
  for await (const queue of allActors(deps.runtime, 'queue', namespace === undefined ? '' : `${namespace}/`))
    all.push(...queuedEventResources(queue, await costFacts(deps, queue)))
  return all
}

/** An entry that mints carries its seed; of one for the next pod its Task knows. */
async function costFacts(
  { runtime }: Pick<ResourceViewsDeps, 'runtime'>,
  queue: ActorView<'queue'>,
): Promise<CostFacts> {
  const { entries } = queue.context
  const spawns = entries.filter(({ seed }) => seed === undefined)
  const [ledger, ...tasks] = await Promise.all([
    runtime.read(`ledger:${queue.id}`),
    ...spawns.map(({ task }) => runtime.read(`task:${task}`)),
  ])
  const known = tasks.flatMap((task) => (task ? [[task.id, task.context] as const] : []))
  const { limits }: Partial<LedgerContext> = ledger?.context ?? {}
  return { tasks: new Map(known), ...(limits ? { limits } : {}) }
}

export async function statusOf(deps: ResourceViewsDeps, resource: Resource): Promise<object> {
  return resource.kind === 'Project' ? statusOfProject(deps, resource) : statusOfRepository(deps, resource)
}

async function statusOfProject(
  deps: ResourceViewsDeps,
  { namespace, name, createdAt, spec }: Resource,
): Promise<object> {
  const id = `${namespace}/${name}`
  const holder = (await deps.directory.applied(id))?.holder
  const stack = await deps.runtime.read(`memory-stack:${id}`)
  const applied = { name, createdAt, ...(await noStackOf(deps, id, spec as ProjectSpec)) }
  return {
    ...projectStatus(await deps.runtime.read(`project:${id}`), applied, { ...(await heldBy(deps, id)), stack }),
    ...(holder === id ? await addressesOf(deps, id, { name, stack }) : {}),
  }
}

async function heldBy({ runtime }: ResourceViewsDeps, project: string): Promise<Partial<QueueContext>> {
  return (await runtime.read(`queue:${project}`))?.context ?? {}
}

async function noStackOf({ memories }: ResourceViewsDeps, id: string, spec: ProjectSpec): Promise<object> {
  if (spec.memory === undefined || memories.stackOf(id, spec) !== null) return {}
  return { noStack: memories.isNamed(id) ? 'named' : 'missing' }
}

/** A Project without its name has none: what answers there is the holder's (RESOURCES-20). */
async function addressesOf(
  { runtime, webhookUrl, memories }: ResourceViewsDeps,
  id: string,
  { name, ...actors }: { readonly name: string; readonly stack: StackActor | undefined },
): Promise<object> {
  const webhookURL = webhookUrl(name)
  const stack = memories.isNamed(id) ? undefined : actors.stack
  const address = await memories.addressOf(id)
  if (address === undefined && stack === undefined) return { webhookURL }
  const addresses = { endpoint: address?.url, externalEndpoint: address?.publicUrl }
  const memory = memoryStatus(addresses, { filling: await runtime.read(`memory:${id}`), stack })
  return Object.keys(memory).length === 0 ? { webhookURL } : { webhookURL, memory }
}

async function statusOfRepository(
  { runtime, directory, forgeIdOf }: ResourceViewsDeps,
  { namespace, name, createdAt, spec }: Resource,
): Promise<object> {
  const { projectRef } = spec as RepositorySpec
  const id = `${namespace}/${projectRef}`
  const applied = await directory.applied(id)
  return repositoryStatus({
    name,
    createdAt,
    projectRef,
    hasProject: applied !== undefined,
    project: await runtime.read(`project:${id}`),
    memory: await runtime.read(`memory:${id}`),
    forgeId: applied?.holder === id ? await forgeIdOf(id, name) : undefined,
    defaultBranch: applied?.project.taskConfig.repositories.find((one) => one.name === name)?.base,
  })
}

/** A Project changed: its actor checks it again. Applied again unchanged, nothing is told twice. */
export async function notifyProject(deps: ResourceViewsDeps, namespace: string, name: string): Promise<void> {
  const found = await deps.directory.applied(`${namespace}/${name}`)
  if (found === undefined) return
  const { project, spec, resources } = found
  const maxConcurrentAgents = spec.maxConcurrentAgents ?? 3
  const settings = scheduleSettings(spec)
  await deps.runtime.deliver({
    to: `project:${namespace}/${name}`,
    // By version of the event: an actor that knows no schedules or generations yet is told of them after an upgrade.
    key: `applied/${project.generation}${settings ? '/scheduled' : ''}/resources`,
    event: {
      type: 'project.applied',
      at: deps.clock.now(),
      generation: project.generation,
      maxConcurrentAgents,
      capacity: spec.queue?.capacity ?? maxConcurrentAgents,
      alertCapacity: spec.queue?.alertCapacity ?? 1,
      ...(settings ? { settings } : {}),
      resources,
    },
  })
  await notifyQueueOfKey(deps, `${namespace}/${name}`, `${project.generation}`)
  await resumeIssues(deps, `${namespace}/${name}`)
  await notifyLedger(deps, `${namespace}/${name}`, project.generation, spec)
  await configureStack(deps, `${namespace}/${name}`, { spec, when: `${project.generation}` })
  await configureMemory(deps, `${namespace}/${name}`, `${project.generation}`)
}

/** Its queue joins the key of its pods, and leaves another one (MODEL-KEY-7). */
async function notifyQueueOfKey(
  { runtime, clock, modelKey }: ResourceViewsDeps,
  project: string,
  when: string,
): Promise<void> {
  await runtime.deliver({
    to: `queue:${project}`,
    key: `keyed/${modelKey}/${when}`,
    event: { type: 'queue.keyed', at: clock.now(), key: modelKey },
  })
}

async function notifyLedger(
  { runtime, clock }: ResourceViewsDeps,
  project: string,
  generation: number,
  spec: ProjectSpec,
): Promise<void> {
  const hasLedger = (await runtime.read(`ledger:${project}`)) !== undefined
  const applied = { project, generation, spec, hasLedger, at: clock.now() }
  for (const delivery of ledgerDeliveries(applied)) await runtime.deliver(delivery)
}

/** Of a Project that never wanted one there is no actor, and nothing to tell. Where none run, none can be ended. */
async function configureStack(
  { runtime, clock, memories }: ResourceViewsDeps,
  project: string,
  { spec, when }: { readonly spec: ProjectSpec; readonly when: string },
): Promise<void> {
  const to = `memory-stack:${project}` as const
  const wanted = memories.stackOf(project, spec)
  if (wanted === null && (!memories.runsStacks || (await runtime.read(to)) === undefined)) return
  const event = { type: 'stack.configured', at: clock.now(), wanted }
  await runtime.deliver({ to, key: `configured/${when}`, event })
}

/** Again at each start: the setting may be another one, and what was pushed while none ran is unknown. */
async function configureMemory(
  { runtime, clock, memories, fillsMemory }: ResourceViewsDeps,
  project: string,
  when: string,
): Promise<void> {
  if (fillsMemory && (await memories.isAwaited(project))) return
  const fills = fillsMemory && (await memories.addressOf(project)) !== undefined
  const delivery = { key: `configured/${when}`, event: { type: 'memory.configured', at: clock.now(), fills } }
  if (fills) await runtime.deliver({ to: `memory:${project}`, ...delivery })
  else await deliverToMemory(runtime, project, delivery)
}

/**
 * At a start: each Project as it stands now, since an apply may have ended before it was told, or have been told in the words of an
 * earlier version. One that lived before reads back what its webhooks told nobody (MIRROR-6).
 */
export async function notifyProjects(deps: ResourceViewsDeps, start: string): Promise<void> {
  for (const id of await deps.directory.ids()) {
    const [namespace = '', name = ''] = id.split('/')
    const to = `project:${id}` as const
    const lived = (await deps.runtime.read(to)) !== undefined
    await notifyProject(deps, namespace, name)
    await notifyQueueOfKey(deps, id, start)
    if (!lived) continue
    const found = await deps.directory.applied(id)
    if (found !== undefined) await configureStack(deps, id, { spec: found.spec, when: start })
    await configureMemory(deps, id, start)
    const event = { type: 'project.restarted', at: deps.clock.now() }
    await deps.runtime.deliver({ to, key: `restarted/${start}`, event })
  }
}
