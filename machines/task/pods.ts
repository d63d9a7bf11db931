/** Slots and pods of a Task: one entry, one pod at a time, each under its ordinal (LAW-1, LAW-7). */
import { effect, tellIssue, tellLedger, tellPod, tellQueue } from '../emit.ts'
import type { PodRepository } from '../effect.ts'
import { maxStartFailures, residencyCap, respawnBackoff } from './budgets.ts'
import type { Cause, EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type TaskContext, type TaskPatch } from './context.ts'
import type { Reason } from './reasons.ts'
import { branchIn, isHeard, openMergeRequests, podId, servesStage } from './queries.ts'

type Final = EventOf<TaskEvent, 'pod.final'>

/** QUEUE-1, lower first: what a human released, then the next pod of a Task under way, else as it was minted. */
function priority(context: TaskContext): number {
  if (context.pod.released) return Math.min(context.priority, 20)
  return context.pod.ordinal > 0 ? Math.min(context.priority, 40) : context.priority
}

export function enqueue(context: TaskContext): Change {
  const entries = context.pod.entries + 1
  const entry = `${context.id}/${entries}`
  return {
    // The queue says again whether the model is withheld.
    context: { pod: { entries, entry, withheld: false } },
    effects: [
      tellQueue(context.config.project, {
        type: 'queue.enqueue',
        entry,
        sort: 'spawn',
        task: context.id,
        class: context.origin.kind === 'alert' ? 'alert' : 'normal',
        priority: priority(context),
        kind: context.stage.wants ?? context.kind,
      }),
    ],
  }
}

export function withdrawEntry(context: TaskContext): Change {
  if (context.pod.entry === null) return {}
  return {
    context: { pod: { entry: null } },
    effects: [tellQueue(context.config.project, { type: 'queue.withdraw', entry: context.pod.entry })],
  }
}

/** Its own entry, and no other [POD-6]. */
export function isOwnGrant(context: TaskContext, { entry }: EventOf<TaskEvent, 'slot.granted'>): boolean {
  return !context.pod.alive && entry === context.pod.entry
}

export function keepEntry(_context: TaskContext, { entry }: EventOf<TaskEvent, 'task.minted'>): Change {
  return { context: { pod: { entry: entry ?? null } } }
}

/** A review starts from the head it judges (REVIEW-2), work from the branch that is the Task's own. */
function podRepositories(context: TaskContext): PodRepository[] {
  return context.repositories.map((name) => {
    const base = context.config.repositories.find((repository) => repository.name === name)?.base ?? ''
    const mr = openMergeRequests(context).find(({ repository }) => repository === name)
    const branch = branchIn(context, name)
    if (context.stage.wants !== 'review' || mr === undefined) return { name, base, branch }
    return { name, base: mr.baseBranch ?? base, branch, sha: mr.headSha }
  })
}

function startPod(context: TaskContext, ordinal: number): NonNullable<Change['effects']>[number] {
  const { config } = context
  const agentKind = context.stage.wants ?? context.kind
  return tellPod(`${context.id}/${ordinal}`, {
    type: 'pod.start',
    task: context.id,
    project: config.project,
    queue: config.project,
    entry: context.pod.entry ?? '',
    ordinal,
    agentKind,
    model: config.model[agentKind] ?? '',
    effort: config.effort[agentKind] ?? '',
    permissionMode: config.permissionMode,
    repositories: podRepositories(context),
    turnTimeoutSeconds: config.turnTimeoutSeconds,
    agentPodTTLSeconds: config.agentPodTTLSeconds,
    stallProbeGraceSeconds: config.stallProbeGraceSeconds,
    stallProbeMaxAttempts: config.stallProbeMaxAttempts,
    ...(config.tokensPerTurn === undefined ? {} : { ledger: config.project }),
  })
}

export function spawn(context: TaskContext): Change {
  const ordinal = context.pod.ordinal + 1
  const agentKind = context.stage.wants ?? context.kind
  return {
    context: {
      pod: {
        ordinal,
        alive: true,
        visit: context.stage.visit,
        worked: false,
        startedAt: context.at,
        agentKind,
        recordedOutcome: null,
        recordedApproval: null,
        released: false,
      },
      turn: { asked: false, spoke: false, prompt: 'first', nudged: true },
    },
    effects: [
      startPod(context, ordinal),
      ...context.forge.issues.map(({ issue }) =>
        tellIssue(issue, { type: 'issue.agentRunning', task: context.id, agentKind }),
      ),
    ],
  }
}

export function podWorks(): Change {
  return { context: { pod: { worked: true, startFailures: 0 } } }
}

export function askToStop(context: TaskContext): Change {
  const reason = servesStage(context) ? 'model-withheld' : (context.stage.reason ?? context.stage.name)
  return { effects: [tellPod(podId(context), { type: 'pod.stop', reason })] }
}

function counted(recreations: TaskContext['pod']['recreations'], reason: string): TaskContext['pod']['recreations'] {
  return { ...recreations, [reason]: (recreations[reason] ?? 0) + 1 }
}

function losses(context: TaskContext, event: Final): TaskPatch {
  if (event.cause !== 'lost') return { pod: { lostInRow: 0, respawnDelayMs: 0 } }
  const lostInRow = context.pod.lostInRow + 1
  return {
    pod: {
      lostInRow,
      respawnDelayMs: respawnBackoff(lostInRow),
      startFailures: context.pod.worked ? context.pod.startFailures : context.pod.startFailures + 1,
      recreations: counted(context.pod.recreations, event.reason ?? 'lost'),
    },
  }
}

/** The slot was released by the pod itself [POD-1]; the kind is empty again (POD-8). */
export function podEnded(context: TaskContext, event: Final): Change {
  const served = context.pod.visit === context.stage.visit ? event.residencyMs : 0
  return {
    context: withChanges(losses(context, event), {
      pod: {
        visitResidencyMs: context.pod.visitResidencyMs + served,
        alive: false,
        startedAt: null,
        agentKind: '',
        entry: null,
      },
      turn: { nudged: false, delayMs: 0 },
    }),
  }
}

export function settle(context: TaskContext): Change {
  if (context.pod.ordinal === 0) return {}
  const { id, config } = context
  const over =
    config.tokensPerTurn === undefined ? [] : [tellLedger(config.project, { type: 'task.settled', task: id })]
  return { effects: [effect('deleteWorkspace', { task: id }), ...over] }
}

/** A pod that the stage did not want any more moves nothing [POD-7, LAW-21]. */
export function endsWantedPod(...causes: readonly Final['cause'][]): (context: TaskContext, event: Final) => boolean {
  return (context, event) => event.pod === context.pod.ordinal && servesStage(context) && causes.includes(event.cause)
}

/** Image, configuration or skills: it never got as far as its first work, again and again (POD-10). */
export function isLastStartFailure(context: TaskContext, event: Final): boolean {
  return (
    endsWantedPod('lost')(context, event) && !context.pod.worked && context.pod.startFailures + 1 >= maxStartFailures
  )
}

export function isOverResidency(context: TaskContext, event: Final): boolean {
  return (
    endsWantedPod('gone', 'lost')(context, event) && context.pod.visitResidencyMs + event.residencyMs >= residencyCap
  )
}

/** At its TTL, with a question asked and nothing new: waiting costs no slot (PARK-10). */
export function isWaitingForReply(context: TaskContext, event: Final): boolean {
  return (
    endsWantedPod('gone')(context, event) &&
    context.turn.asked &&
    isHeard(context) &&
    context.journal.pending.length === 0 &&
    context.forge.claims.length === 0
  )
}

/** For people; null: nobody knows why. */
export function podEndText({ reason, detail }: Pick<Final, 'reason' | 'detail'>): string | null {
  if (reason === undefined) return null
  return detail === undefined ? reason : `${reason}: ${detail}`
}

export function namePodEnd(reason: Reason): (context: TaskContext, event: Final) => Change {
  return (_context, event) => ({ context: { stage: { reason, detail: podEndText(event) } } })
}

export function needsBackoff(context: TaskContext, _event: Cause): boolean {
  return context.pod.respawnDelayMs > 0
}
