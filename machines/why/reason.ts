/** Which entry of the one enum of reasons says why an actor rests, from where it stands. */
import type { ActorKind, Owner } from '../definition.ts'
import { reasons } from '../generated/reasons.ts'
import type { TaskContext } from '../task/context.ts'
import { waits } from './waits.ts'

export type ReasonName = keyof typeof reasons

/** Who can move an actor, why it rests, and what would move it; `reason` is an entry of the generated enum. */
export interface Resting {
  readonly reason: ReasonName
  readonly owner: Owner
  readonly says: string
  readonly unblocks: string
}

/** `path`: the active leaves as dotted text, regions separated by a space. */
export function restingOf(kind: ActorKind, path: string): readonly Resting[] {
  return path
    .split(' ')
    .filter(Boolean)
    .flatMap((leaf) => nearest(kind, leaf))
}

/** Of a Task that waits to be minted, which has no state of its own yet. */
export const restingInQueue = restingFor('task/pod.awaitingSlot')

/** A state without words of its own is said by the one around it. */
function nearest(kind: ActorKind, leaf: string): readonly Resting[] {
  const name = `${kind}/${leaf}`
  if (isReason(name)) return [restingFor(name)]
  const end = leaf.lastIndexOf('.')
  return end < 0 ? [] : nearest(kind, leaf.slice(0, end))
}

function restingFor(reason: ReasonName): Resting {
  const { owner, text, unblocks } = reasons[reason]
  return { reason, owner, says: text, unblocks }
}

export function isReason(name: string): name is ReasonName {
  return Object.hasOwn(reasons, name)
}

/**
 * A park by its reason, a stage that wants a pod by where its pod is, any other by its own state. Undefined: it has
 * ended, and rests for nobody.
 */
export function taskResting(context: TaskContext, path: string): Resting | undefined {
  if (context.stage.class === 'terminal') return undefined
  const park = `task/${context.stage.name}/${context.stage.reason}`
  if (context.stage.class === 'parked' && isReason(park))
    return { ...restingFor(park), unblocks: reasons[park].unblocks + byCommand(context) }
  const [stage, pod] = restingOf('task', path)
  return context.stage.class === 'active' && context.stage.wants !== null ? (waitOf(context, path) ?? pod) : stage
}

/** Nobody can comment on a Task that was minted by hand or by a schedule and opened no merge request. */
function byCommand({ origin, forge: { issues, mergeRequests } }: TaskContext): string {
  const hasThread = origin.kind === 'webhook' || issues.length > 0 || mergeRequests.length > 0
  return hasThread ? '' : '; it has no thread on the forge: `statewright retry` or `statewright cancel`'
}

/** What the Task knows of its rest says more than the state does. */
function waitOf(context: TaskContext, path: string): Resting | undefined {
  const wait = Object.entries(waits).find(([, { state, isSo }]) => path.split(' ').includes(state) && isSo(context))
  const name = wait && `task/${wait[1].state}/${wait[0]}`
  return name !== undefined && isReason(name) ? restingFor(name) : undefined
}
