/** What the resource API shows and sets in motion: stored kinds with their actor's word, derived kinds from their actors. */
import type { Kind } from '../../crd/kinds.ts'
import type { RepositorySpec, TaskSpec } from '../../crd/kinds.ts'
import { issueResource } from '../../crd/status/issue.ts'
import { mergeRequestResource } from '../../crd/status/merge-request.ts'
import { projectStatus } from '../../crd/status/project.ts'
import { queuedEventResources, type CostFacts } from '../../crd/status/queued-event.ts'
import { repositoryStatus } from '../../crd/status/repository.ts'
import type { DerivedResource } from '../../crd/status/shape.ts'
import { taskResource, type TaskRelations } from '../../crd/status/task.ts'
import type { LocalProjectDirectory } from '../../edges/local/project-directory.ts'
import { viewKey, type DerivedViews } from '../../edges/local/resource-reads.ts'
import type { TaskDeletion } from '../../edges/local/resource-api.ts'
import type { Resource, ResourcePort } from '../../edges/ports/resources.ts'
import { scheduleSettings } from '../../edges/schedule/settings.ts'
import type { ThreadReader } from '../../edges/ports/threads.ts'
import type { ProjectSpec } from '../../crd/project.ts'
import { ledgerDeliveries } from './spending.ts'
import { sliceBehind } from '../../http/list.ts'
import { Problem } from '../../http/problem.ts'
import type { ActorKind } from '../../machines/definition.ts'
import type { LedgerContext } from '../../machines/ledger/context.ts'
import { turnId, type PodContext } from '../../machines/pod/context.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { OwnedIssue, TaskSeed } from '../../machines/task/events.ts'
import { allActors } from '../../runtime/all-actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'

export interface ResourceViewsDeps {
  readonly runtime: Runtime
  readonly directory: LocalProjectDirectory
  readonly threads: ThreadReader
  readonly clock: Clock
  readonly webhookUrl: (project: string) => string
  /** Of the Project's memory service, if it has one. */
  /** `project`: `<namespace>/<name>`. */
  readonly memoryUrl: (project: string) => string | undefined
}

const actorKinds: Readonly<Record<string, ActorKind>> = {
  Task: 'task',
  Issue: 'issue',
  MergeRequest: 'merge-request',
}

/** Kinds that only actors write: an actor for each resource, but one queue for all QueuedEvents of a Project. */
export function derivedViews(deps: Pick<ResourceViewsDeps, 'runtime'>): DerivedViews {
  const { runtime } = deps
  return {
    async list(kind, query) {
      if (kind.kind === 'QueuedEvent') return sliceBehind(await queuedEvents(deps, query.namespace), viewKey, query)
      const actorKind = actorKinds[kind.kind]
      if (actorKind === undefined) return []
      const { namespace, after, limit } = query
      const idPrefix = namespace === undefined ? '' : `${namespace}/`
      const actors = await runtime.list(actorKind, { idPrefix, after, limit: limit + 1 })
      return Promise.all(actors.map((actor) => actorView(runtime, kind, actor)))
    },
    async get(kind, namespace, name) {
      if (kind.kind === 'QueuedEvent')
        return (await queuedEvents(deps, namespace)).find(({ metadata }) => metadata.name === name)
      const actorKind = actorKinds[kind.kind]
      const actor = actorKind && (await runtime.read(`${actorKind}:${namespace}/${name}`))
      return actor === undefined ? undefined : actorView(runtime, kind, actor)
    },
  }
}

async function actorView(runtime: Runtime, { kind }: Kind, actor: ActorView): Promise<DerivedResource> {
  if (kind === 'Issue') return issueResource(actor)
  if (kind === 'MergeRequest') return mergeRequestResource(actor)
  return taskResource(actor, await taskRelations(runtime, actor))
}

async function taskRelations(runtime: Runtime, { id, context }: ActorView): Promise<TaskRelations> {
  const {
    forge: { issues },
    pod: { alive: podAlive, ordinal: podOrdinal },
  } = context as unknown as TaskContext
  const owned = await Promise.all(issues.map(({ issue }) => runtime.read(`issue:${issue}`)))
  const pod = podAlive ? await runtime.read(`pod:${id}/${podOrdinal}`) : undefined
  const turn = pod && (await openTurn(runtime, pod.context as unknown as PodContext))
  return {
    issues: owned.filter((issue) => issue !== undefined),
    ...(pod ? { pod } : {}),
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
async function costFacts({ runtime }: Pick<ResourceViewsDeps, 'runtime'>, queue: ActorView): Promise<CostFacts> {
  const { entries } = queue.context as unknown as QueueContext
  const spawns = entries.filter(({ seed }) => seed === undefined)
  const [ledger, ...tasks] = await Promise.all([
    runtime.read(`ledger:${queue.id}`),
    ...spawns.map(({ task }) => runtime.read(`task:${task}`)),
  ])
  const known = tasks.flatMap((task) => (task ? [[task.id, task.context as unknown as TaskContext] as const] : []))
  const { limits } = (ledger?.context ?? {}) as Partial<LedgerContext>
  return { tasks: new Map(known), ...(limits ? { limits } : {}) }
}

export async function statusOf(deps: ResourceViewsDeps, resource: Resource): Promise<object> {
  return resource.kind === 'Project' ? statusOfProject(deps, resource) : statusOfRepository(deps, resource)
}

async function statusOfProject(
  { runtime, webhookUrl, memoryUrl }: ResourceViewsDeps,
  { namespace, name }: Resource,
): Promise<object> {
  const endpoint = memoryUrl(`${namespace}/${name}`)
  return {
    ...projectStatus(await runtime.read(`project:${namespace}/${name}`)),
    webhookURL: webhookUrl(name),
    ...(endpoint === undefined ? {} : { memory: { endpoint } }),
  }
}

async function statusOfRepository(
  { runtime, directory }: ResourceViewsDeps,
  { namespace, name, spec }: Resource,
): Promise<object> {
  const { projectRef } = spec as RepositorySpec
  const applied = await directory.applied(`${namespace}/${projectRef}`)
  return repositoryStatus({
    projectRef,
    hasProject: applied !== undefined,
    project: await runtime.read(`project:${namespace}/${projectRef}`),
    defaultBranch: applied?.project.taskConfig.repositories.find((one) => one.name === name)?.base,
  })
}

/** A Project changed: its actor checks it again. Applied again unchanged, nothing is told twice. */
export async function tellProject(deps: ResourceViewsDeps, namespace: string, name: string): Promise<void> {
  const found = await deps.directory.applied(`${namespace}/${name}`)
  if (found === undefined) return
  const { project, spec } = found
  const maxConcurrentAgents = spec.maxConcurrentAgents ?? 3
  const settings = scheduleSettings(spec)
  await deps.runtime.deliver({
    to: `project:${namespace}/${name}`,
    // By version of the event: an actor that knows no schedules yet is told of them after an upgrade.
    key: `applied/${project.generation}${settings ? '/scheduled' : ''}`,
    event: {
      type: 'project.applied',
      at: deps.clock.now(),
      generation: project.generation,
      maxConcurrentAgents,
      capacity: spec.queue?.capacity ?? maxConcurrentAgents,
      alertCapacity: spec.queue?.alertCapacity ?? 1,
      ...(settings ? { settings } : {}),
    },
  })
  await tellLedger(deps, `${namespace}/${name}`, project.generation, spec)
}

async function tellLedger(
  { runtime, clock }: ResourceViewsDeps,
  project: string,
  generation: number,
  spec: ProjectSpec,
): Promise<void> {
  const hasLedger = (await runtime.read(`ledger:${project}`)) !== undefined
  const applied = { project, generation, spec, hasLedger, at: clock.now() }
  for (const delivery of ledgerDeliveries(applied)) await runtime.deliver(delivery)
}

/** At the start: an apply may have ended before it was told, or have been told in the words of an earlier version. */
/** At a start: each Project as it stands now; one that lived before reads back what its webhooks told nobody (MIRROR-6). */
export async function tellProjects(deps: ResourceViewsDeps, start: string): Promise<void> {
  for (const id of await deps.directory.ids()) {
    const [namespace = '', name = ''] = id.split('/')
    const to = `project:${id}` as const
    const lived = (await deps.runtime.read(to)) !== undefined
    await tellProject(deps, namespace, name)
    if (!lived) continue
    const event = { type: 'project.restarted', at: deps.clock.now() }
    await deps.runtime.deliver({ to, key: `restarted/${start}`, event })
  }
}

export async function tellDeleted(
  deps: Pick<ResourceViewsDeps, 'runtime' | 'clock'>,
  resource: Resource,
): Promise<void> {
  await deps.runtime.deliver({
    to: `project:${resource.namespace}/${resource.name}`,
    key: `deleted/${resource.uid}`,
    event: { type: 'project.deleted', at: deps.clock.now() },
  })
}

/**
 * A Task whose resource is deleted is closed (TASK-RESOURCE-19). One that a person made may still wait: it leaves the queue
 * first, so that it is minted before it is read here, or never.
 */
export async function closeTask(
  { runtime, clock, resources }: Pick<ResourceViewsDeps, 'runtime' | 'clock'> & { readonly resources: ResourcePort },
  { namespace, name, by, request }: TaskDeletion,
): Promise<boolean> {
  const task = `${namespace}/${name}`
  const made = await resources.get('Task', namespace, name)
  const key = `deleted/${task}/${request}`
  if (made !== undefined) {
    const event = { type: 'queue.withdraw', at: clock.now(), entry: `mint/${task}` }
    await runtime.deliver({ to: `queue:${namespace}/${(made.spec as TaskSpec).projectRef}`, key, event })
  }
  const actor = await runtime.read(`task:${task}`)
  if (actor?.status === 'active')
    await runtime.deliver({ to: actor.address, key, event: { type: 'task.close', at: clock.now(), by } })
  if (made !== undefined) await resources.remove('Task', namespace, name)
  return made !== undefined || actor !== undefined
}

/** A Task made by a person: its creation is the go-ahead of record (STAGE-3); it is minted when the queue admits it. */
export async function mintByHand(deps: ResourceViewsDeps, resource: Resource): Promise<void> {
  const spec = resource.spec as TaskSpec
  const project = await deps.directory.project(`${resource.namespace}/${spec.projectRef}`)
  if (project === undefined)
    throw new Problem('not-found', `there is no Project ${spec.projectRef} in the namespace ${resource.namespace}`)
  const unknown = spec.repositories.find((name) => !project.repositories.some((repository) => repository.name === name))
  if (unknown !== undefined) throw new Problem('not-found', `the Project has no Repository ${unknown}`)
  const task = `${resource.namespace}/${resource.name}`
  const owned = await Promise.all(
    (spec.issues ?? []).map((issue) => ownedIssue(deps, project.taskConfig.project, resource.namespace, issue)),
  )
  const seed: TaskSeed = {
    kind: spec.kind,
    goal: spec.goal,
    repositories: [...spec.repositories],
    issues: owned,
    mergeRequests: [],
    priority: spec.priority ?? 100,
    origin: { kind: 'human', ref: resource.uid },
    config: project.taskConfig,
  }
  const entry = {
    entry: `mint/${task}`,
    sort: 'mint',
    task,
    class: 'normal',
    priority: seed.priority,
    kind: seed.kind,
    seed,
  }
  await deps.runtime.deliver({
    to: `queue:${project.taskConfig.project}`,
    key: `hand/${resource.uid}`,
    event: { type: 'queue.enqueue', at: deps.clock.now(), ...entry },
  })
}

async function ownedIssue(
  deps: ResourceViewsDeps,
  project: string,
  namespace: string,
  { repository, number }: { readonly repository: string; readonly number: number },
): Promise<OwnedIssue> {
  const issue = await deps.threads.issue(project, repository, number)
  if (issue === undefined) throw new Problem('not-found', `the mirror has no issue ${repository}#${number}`)
  const comments = await deps.threads.comments(project, repository, number, 'issue')
  return {
    repository,
    number,
    issue: `${namespace}/${repository}-${number}`,
    selfProposed: issue.bot,
    humanCommented: comments.some((comment) => !comment.bot),
  }
}
