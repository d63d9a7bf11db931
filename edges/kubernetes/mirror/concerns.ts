/** Which resources show what an actor is, so that a step of it may change their statuses. */
import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'

/** What the address of an actor does not name. Ids are those of actors: `<namespace>/<name>`. */
export interface Relations {
  /** The Task that owns an issue; undefined: none does. */
  taskOf(issue: string): Promise<string | undefined>
  /** Of the Project, as they are applied now. */
  repositoriesOf(project: string): Promise<readonly string[]>
  /** Projects whose pods use the key of the model. */
  projectsOf(modelKey: string): Promise<readonly string[]>
}

/** A resource: `<Kind>/<namespace>/<name>`. All QueuedEvents of a namespace are one: `QueuedEvent/<namespace>`. */
export type ResourceKey = string

type Concern = (id: string, relations: Relations) => readonly ResourceKey[] | Promise<readonly ResourceKey[]>

const concerns: Readonly<Record<ActorKind, Concern>> = {
  task: (id) => [`Task/${id}`],
  // Their ids begin with that of their Task (ACTOR-1).
  pod: (id) => [`Task/${firstTwo(id)}`],
  turn: (id) => [`Task/${firstTwo(id)}`],
  async issue(id, { taskOf }) {
    const owner = await taskOf(id)
    return [`Issue/${id}`, ...(owner === undefined ? [] : [`Task/${owner}`])]
  },
  'merge-request': (id) => [`MergeRequest/${id}`],
  // A Project shows what its queue is held by.
  queue: (id) => [entriesOf(id), `Project/${id}`],
  ledger: (id) => [entriesOf(id)],
  async project(id, { repositoriesOf }) {
    return shownOfProject(id, await repositoriesOf(id))
  },
  async memory(id, { repositoriesOf }) {
    return shownOfProject(id, await repositoriesOf(id))
  },
  'memory-stack': (id) => [`Project/${id}`],
  async 'model-key'(id, { projectsOf }) {
    return (await projectsOf(id)).map((project) => `Project/${project}`)
  },
  'ingest-job': () => [],
}

/** Asked again after a failure, it gives the same: a step is named by its actor alone. */
export async function concernsOf(address: ActorAddress, relations: Relations): Promise<readonly ResourceKey[]> {
  const colon = address.indexOf(':')
  return concerns[address.slice(0, colon) as ActorKind](address.slice(colon + 1), relations)
}

function shownOfProject(project: string, repositories: readonly string[]): readonly ResourceKey[] {
  return [`Project/${project}`, ...repositories.map((repository) => `Repository/${repository}`)]
}

function firstTwo(id: string): string {
  return id.split('/').slice(0, 2).join('/')
}

function entriesOf(queue: string): ResourceKey {
  return `QueuedEvent/${queue.slice(0, queue.indexOf('/'))}`
}
