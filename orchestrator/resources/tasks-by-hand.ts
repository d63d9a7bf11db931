/**
 * Tasks that a person applies (TASK-RESOURCE-5): minted when the queue admits them, closed when they are deleted, and
 * born anew when they are applied again. A life is one `uid` of the resource; each has an entry of its own in the queue.
 */
import type { TaskSpec } from '../../crd/kinds.ts'
import { queuedTaskResource } from '../../crd/status/queued-task.ts'
import type { DerivedResource } from '../../crd/status/shape.ts'
import type { Resource, ResourceReader, TaskDeletion, TaskEnd } from '../../edges/ports/resources.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { OwnedIssue, TaskSeed } from '../../machines/task/events.ts'
import { maxTaskName, shortHash } from '../../machines/rules/names.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { ResourceViewsDeps } from './resource-deps.ts'

type HandTasksDeps = Pick<ResourceViewsDeps, 'runtime' | 'clock'> & { readonly resources: ResourceReader }

/** One life of a Task that was applied. */
interface Life {
  /** The Task's actor; its id is the name of the resource, or for a later life that name with a hash behind it. */
  readonly id: string
  readonly actor: ActorView<'task'> | undefined
}

/**
 * An earlier life keeps its name, its branch and its journal, and stays readable (RESOURCE-API-4): a later one is named
 * apart.
 */
export async function lifeOf(runtime: Pick<Runtime, 'read'>, { namespace, name, uid }: Resource): Promise<Life> {
  const first = `${namespace}/${name}`
  const earlier = await runtime.read(`task:${first}`)
  if (earlier === undefined || earlier.context.origin.ref === uid) return { id: first, actor: earlier }
  const tail = `-${shortHash(uid)}`
  const id = `${namespace}/${name.slice(0, maxTaskName - tail.length)}${tail}`
  return { id, actor: await runtime.read(`task:${id}`) }
}

const entryOf = (id: string, { uid }: Resource): string => `mint/${id}/${uid}`

/** The resource that a Task was made by, whichever of its two names it is called by. */
async function madeBy(
  { resources }: Pick<HandTasksDeps, 'resources'>,
  namespace: string,
  name: string,
  actor: ActorView<'task'> | undefined,
): Promise<Resource | undefined> {
  const named = await resources.get('Task', namespace, name)
  if (named !== undefined || actor === undefined || actor.context.origin.kind !== 'human') return named
  const { ref } = actor.context.origin
  return (await resources.list('Task', namespace)).find(({ uid }) => uid === ref)
}

/**
 * A Task whose resource is deleted is closed (TASK-RESOURCE-19). One that a person made may still wait: it leaves the queue
 * first, so that it is minted before it is read here, or never.
 */
export async function closeTask(deps: HandTasksDeps, { namespace, name, by, request }: TaskDeletion): Promise<TaskEnd> {
  const { runtime, clock } = deps
  const named = await runtime.read(`task:${namespace}/${name}`)
  const made = await madeBy(deps, namespace, name, named)
  const key = `deleted/${namespace}/${name}/${request}`
  if (made !== undefined) {
    const { id } = await lifeOf(runtime, made)
    const { projectRef } = made.spec as TaskSpec
    for (const entry of [entryOf(id, made), `mint/${id}`])
      await runtime.deliver({
        to: `queue:${namespace}/${projectRef}`,
        key: `${key}/${entry}`,
        event: { type: 'queue.withdraw', at: clock.now(), entry },
      })
  }
  const actor = made === undefined ? named : (await lifeOf(runtime, made)).actor
  if (actor?.status === 'active')
    await runtime.deliver({ to: actor.address, key, event: { type: 'task.close', at: clock.now(), by } })
  if (made === undefined && named === undefined) return { state: 'unknown' }
  return { state: actor?.status === 'active' ? 'closing' : 'closed', made }
}

/**
 * A Task made by a person: its creation is the go-ahead of record (STAGE-3); it is minted when the queue admits it.
 * Answers its name: that of the resource, or of a later life. Told again, the living one changes nothing.
 */
export async function mintByHand(deps: ResourceViewsDeps, resource: Resource): Promise<string> {
  const spec = resource.spec as TaskSpec
  const project = await deps.directory.project(`${resource.namespace}/${spec.projectRef}`)
  if (project === undefined)
    throw new Problem('not-found', `there is no Project ${spec.projectRef} in the namespace ${resource.namespace}`)
  const unknown = spec.repositories.find((name) => !project.repositories.some((repository) => repository.name === name))
  if (unknown !== undefined) throw new Problem('not-found', `the Project has no Repository ${unknown}`)
  await refuseTaken(deps.runtime, resource)
  const { id: task } = await lifeOf(deps.runtime, resource)
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
    entry: entryOf(task, resource),
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
  return task.slice(resource.namespace.length + 1)
}

/** The platform's own Tasks are nobody else's to begin anew. */
async function refuseTaken(runtime: Pick<Runtime, 'read'>, { namespace, name }: Resource): Promise<void> {
  const actor = await runtime.read(`task:${namespace}/${name}`)
  if (actor !== undefined && actor.context.origin.kind !== 'human')
    throw new Problem('conflict', `the platform made the Task ${name}: give this one another name`)
}

/** A Task that was applied and is not minted yet (RESOURCES-30); undefined: its actor speaks for it, or nobody made it. */
export async function waitingTask(
  { runtime, resources }: Pick<HandTasksDeps, 'runtime' | 'resources'>,
  namespace: string,
  name: string,
): Promise<DerivedResource | undefined> {
  const made = await resources.get('Task', namespace, name)
  const waiting = made && (await waitingOf(runtime, made))
  return waiting ?? (await waitingTasks({ runtime, resources }, namespace)).find((one) => one.metadata.name === name)
}

/** All of them in a namespace, or everywhere. */
export async function waitingTasks(
  { runtime, resources }: Pick<HandTasksDeps, 'runtime' | 'resources'>,
  namespace: string | undefined,
): Promise<readonly DerivedResource[]> {
  const made = await resources.list('Task', namespace)
  const found = await Promise.all(made.map((resource) => waitingOf(runtime, resource)))
  return found.filter((one) => one !== undefined)
}

async function waitingOf(runtime: Pick<Runtime, 'read'>, resource: Resource): Promise<DerivedResource | undefined> {
  const { id, actor } = await lifeOf(runtime, resource)
  if (actor !== undefined) return undefined
  const { projectRef } = resource.spec as TaskSpec
  const queue = await runtime.read(`queue:${resource.namespace}/${projectRef}`)
  return queuedTaskResource(resource, { id, entry: entryOf(id, resource), queue: queue?.context })
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
