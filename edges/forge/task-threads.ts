/** Which threads of the forge belong to one Task, read from the actors' own rows: what is said in one of them holds for all. */
import type { ActorAddress } from '../../machines/definition.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { addressOf, parseAddress } from '../../runtime/address.ts'
import { isOfKind } from '../../runtime/of-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ForgeSubjectKind } from './port.ts'

export interface ThreadRef {
  readonly kind: ForgeSubjectKind
  /** Name of the resource. */
  readonly repository: string
  readonly number: number
  /** Id of the Task, in the form of an Issue's owner. */
  readonly task?: string
}

/** Of a Task, or of the Task that owns an Issue or a MergeRequest; without an owner there are none. Undefined: it is quarantined, and nobody knows. */
export type TaskThreads = (actor: ActorAddress) => Promise<readonly ThreadRef[] | undefined>

type TaskParts = Pick<TaskContext, 'id' | 'forge'>

export function taskThreadsIn(runtime: Pick<Runtime, 'read'>): TaskThreads {
  return async (actor) => {
    const task = await taskOf(runtime, actor)
    const view = task && (await runtime.read(task))
    if (!view) return []
    if (view.status === 'quarantined') return undefined
    return threadsOf(view.context)
  }
}

async function taskOf(runtime: Pick<Runtime, 'read'>, actor: ActorAddress): Promise<`task:${string}` | undefined> {
  const { kind, id = '' } = parseAddress(actor) ?? {}
  if (kind === 'task') return addressOf('task', id)
  const view = await runtime.read(actor)
  if (view === undefined || view.status === 'quarantined') return undefined
  const owner = isOfKind(view, 'issue') || isOfKind(view, 'merge-request') ? view.context.owner : ''
  return owner ? addressOf('task', owner) : undefined
}

/** What was handed over is another Task's by now. */
function threadsOf({ id: task, forge: { issues, mergeRequests } }: TaskParts): readonly ThreadRef[] {
  const own = <T extends { readonly state: string }>(all: readonly T[]): readonly T[] =>
    all.filter(({ state }) => state !== 'handedOver')
  return [
    ...own(issues).map(({ repository, number }) => ({ kind: 'issue', repository, number, task }) as const),
    ...own(mergeRequests).map(({ repository, number }) => ({ kind: 'mr', repository, number, task }) as const),
  ]
}
