/**
 * What a Task came to, as Events: its admission, its parks, its merges, its failure. They follow from the Task as it is
 * shown, not from a step, so a process that ended in between reports them later; the recorder writes each of them once.
 */
import { parkedStages } from '../../../crd/status/task-conditions.ts'
import type { Condition } from '../../../crd/status/condition.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { KubeObject } from '../api/api.ts'
import type { EventRecorder, Happening } from '../api/events.ts'

interface Shown {
  readonly conditions?: readonly Condition[]
  readonly stageEnteredAt?: string
  readonly stages?: readonly { readonly stage: string; readonly at: string; readonly reason?: string }[]
  readonly mergeRequests?: readonly {
    readonly repository: string
    readonly number: number
    readonly state: string
    readonly mergeCommit?: string
  }[]
}

interface Dated extends Happening {
  readonly occurrence: string
  readonly at: string | undefined
}

/** A server forgets Events after an hour (kube-apiserver, `--event-ttl`): an older one would come again. */
const keptMs = 3_600_000

interface TaskEvents {
  /** Neither throws nor waits. */
  report(task: KubeObject, view: DerivedResource): void
}

export function createTaskEvents(recorder: EventRecorder, clock: Pick<Clock, 'now'>): TaskEvents {
  /** What was reported, by object and occurrence, and when it was. */
  const reported = new Map<string, number>()
  const forgetOld = (): void => {
    for (const [key, at] of reported) if (at + keptMs < clock.now()) reported.delete(key)
  }
  return {
    report(task, view) {
      const fresh = happeningsOf(view.status as Shown).filter(({ at }) => clock.now() - Date.parse(at ?? '') < keptMs)
      for (const { at: _, ...happening } of fresh) {
        const key = `${task.metadata.uid} ${happening.occurrence}`
        if (reported.has(key)) continue
        forgetOld()
        reported.set(key, clock.now())
        void recorder.record(task, happening)
      }
    },
  }
}

function happeningsOf(shown: Shown): readonly Dated[] {
  return [...admission(shown), ...parks(shown), ...merges(shown), ...failure(shown)]
}

function admission({ conditions = [] }: Shown): readonly Dated[] {
  const admitted = conditions.find(({ type, status }) => type === 'Admitted' && status === 'True')
  if (admitted === undefined) return []
  const { message, lastTransitionTime: at } = admitted
  return [{ type: 'Normal', reason: 'Admitted', message, occurrence: 'admitted', at }]
}

function parks({ stages = [] }: Shown): readonly Dated[] {
  return stages
    .filter(({ stage }) => parkedStages.includes(stage))
    .map(({ stage, at, reason = stage }) => ({
      type: stage === 'operator-error' ? 'Warning' : 'Normal',
      reason: 'Parked',
      message: `${stage}: ${reason}`,
      occurrence: `parked/${at}`,
      at,
    }))
}

/** Nothing dates a merge; the stage that the Task is in began no later than an hour ago where one is news. */
function merges({ mergeRequests = [], stageEnteredAt: at }: Shown): readonly Dated[] {
  return mergeRequests
    .filter(({ state }) => state === 'merged')
    .map(({ repository, number, mergeCommit }) => ({
      type: 'Normal',
      reason: 'Merged',
      message: `merge request ${number} of ${repository}${mergeCommit === undefined ? '' : ` as ${mergeCommit}`}`,
      occurrence: `merged/${repository}/${number}`,
      at,
    }))
}

function failure({ stages = [] }: Shown): readonly Dated[] {
  return stages
    .filter(({ stage }) => stage === 'failed')
    .map(({ at, reason = 'failed' }) => ({
      type: 'Warning',
      reason: 'Failed',
      message: reason,
      occurrence: 'failed',
      at,
    }))
}
