/** `status.notes`: append-only, and what carries from pod to pod (CONTINUITY-2, LAW-6). */
import { tellIssue, tellPod } from '../emit.ts'
import { shortHash } from '../rules/names.ts'
import { answer, refusal } from './answers.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import type { Note, TaskContext } from './context.ts'

type Written = EventOf<TaskEvent, 'note.written'>

function noteFault(context: TaskContext, event: Written): Change | null {
  if (event.pod !== context.podOrdinal)
    return { effects: [answer(refusal('pod-superseded', `pod ${context.podOrdinal} has taken over`))] }
  if (context.agentKind === '') return { effects: [answer(refusal('agent-kind-empty', 'the Task runs no agent'))] }
  return null
}

/** A plan is shown on the issues by the Issues themselves, so that `/approve` is about something seen (APPROVAL-11). */
function planNews(context: TaskContext, { id, body, bodyHash }: Written): NonNullable<Change['effects']> {
  if (context.stageClass === 'terminal') return []
  return context.issues.map(({ issue }) =>
    tellIssue(issue, { type: 'plan.written', task: context.id, noteId: id, planHash: bodyHash, body }),
  )
}

/** Their places stay, and what else is known of them: the journal is append-only. */
function withoutWords(notes: readonly Note[], oldest: number): readonly Note[] {
  return notes.map((note, index) => (index < oldest ? { ...note, body: '', spilled: true } : note))
}

export function writeNote(context: TaskContext, event: Written): Change {
  const fault = noteFault(context, event)
  if (fault) return fault
  const { id, kind, body, bodyHash, pod, spilled = 0 } = event
  const note: Note = { id, agent: context.agentKind, pod, at: context.at, kind, body, bodyHash, source: 'agent' }
  const isPlan = kind === 'plan'
  return {
    context: {
      notes: [...withoutWords(context.notes, spilled), note],
      ...(isPlan ? { planHash: bodyHash, planNoteId: id } : {}),
    },
    effects: [
      answer({ status: 201, body: { id, kind, at: context.at } }),
      tellPod(`${context.id}/${pod}`, { type: 'pod.noted', kind, source: 'agent' }),
      ...(isPlan ? planNews(context, event) : []),
    ],
  }
}

/** What the platform itself has to remember of this Task; a hand-off is written elsewhere. */
export function noteByPlatform(
  context: TaskContext,
  kind: Note['kind'],
  body: string,
): { readonly context: Pick<TaskContext, 'notes'> } {
  const pod = context.podOrdinal
  const note: Note = {
    id: `operator-${pod}-${kind}`,
    agent: context.agentKind || context.kind,
    pod,
    at: context.at,
    kind,
    body,
    bodyHash: shortHash(body),
    source: 'operator',
  }
  return { context: { notes: [...context.notes, note] } }
}

function listed(title: string, repositories: readonly string[]): string {
  return `${title}: ${repositories.length > 0 ? repositories.join(', ') : 'none'}`
}

/** Of that pod's own last turn: what the next one could go on from. */
function leftBehind(context: TaskContext, pod: number): boolean {
  if (context.lastTurnPod !== pod) return false
  const repositories = [...context.lastTurnPushedRepos, ...context.lastTurnFailedRepos]
  return context.lastTurnFinalText !== '' || repositories.length > 0
}

/** From the pod's own last turn; a placeholder when there is nothing (STOP-SEQUENCE-5, STOP-SEQUENCE-6). */
function operatorBody(context: TaskContext, { pod, reason }: EventOf<TaskEvent, 'pod.noteMissing'>): string {
  const ended = reason ? `The pod ended: ${reason}.` : 'The pod ended.'
  if (!leftBehind(context, pod)) return `${ended} It left nothing behind. handoff=none`
  return [
    `${ended} Written from its last turn, which left no note.`,
    listed('Pushed', context.lastTurnPushedRepos),
    listed('Failed to push', context.lastTurnFailedRepos),
    context.lastTurnFinalText || 'It said nothing at the end.',
  ].join('\n')
}

/** Asked again, it is answered again, but written once. */
export function writeOperatorNote(context: TaskContext, event: EventOf<TaskEvent, 'pod.noteMissing'>): Change {
  const { pod } = event
  const id = `operator-${pod}`
  const told = tellPod(`${context.id}/${pod}`, { type: 'pod.noted', kind: 'handoff', source: 'operator' })
  if (context.notes.some((note) => note.id === id)) return { effects: [told] }
  const body = operatorBody(context, event)
  const note: Note = {
    id,
    agent: context.agentKind,
    pod,
    at: context.at,
    kind: 'handoff',
    body,
    bodyHash: shortHash(body),
    source: 'operator',
    ...(leftBehind(context, pod) ? {} : { empty: true }),
  }
  return { context: { notes: [...context.notes, note] }, effects: [told] }
}
