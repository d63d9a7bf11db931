/**
 * A Task that a person applied and that has no actor: what was asked for, and why it waits for its slot. One that no queue
 * took, as it was refused, is at no stage.
 */
import { restingInQueue } from '../../machines/why/reason.ts'
import { positions } from '../../machines/queue/admission.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import { bounded } from './bounded.ts'
import { apiVersion, type DerivedResource } from './shape.ts'

/** The resource as it was applied; times are epoch milliseconds. */
interface AppliedTask {
  readonly namespace: string
  readonly uid: string
  readonly generation: number
  readonly createdAt: number
  readonly spec: Record<string, unknown>
}

interface PositionInQueue {
  /** Id of the Task to be, `<namespace>/<name>`. */
  readonly id: string
  readonly entry: string
  /** Context of the Project's queue; undefined: there is none yet. */
  readonly queue: QueueContext | undefined
}

export function queuedTaskResource(
  { namespace, uid, generation, createdAt, spec }: AppliedTask,
  { id, entry, queue: context }: PositionInQueue,
): DerivedResource {
  const isTaken = context?.entries.some((one) => one.entry === entry) ?? false
  const position = context && positions(context, context.at).find((one) => one.entry === entry)
  const queued = {
    stage: 'queued',
    stageClass: 'queued',
    stageReason: position?.reason ?? null,
    why: restingInQueue,
    stageEnteredAt: new Date(createdAt).toISOString(),
    position: position?.position ?? null,
  }
  return {
    apiVersion,
    kind: 'Task',
    metadata: { name: id.slice(namespace.length + 1), namespace, generation },
    spec: { ...spec, origin: { kind: 'human', ref: uid } },
    status: isTaken ? bounded(queued) : {},
  }
}
