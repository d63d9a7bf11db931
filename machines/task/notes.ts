/** `status.notes`: append-only, and what carries from pod to pod (CONTINUITY-2, LAW-6). */
import { tellIssue, tellPod } from '../emit.ts'
import { shortHash } from '../rules/names.ts'
import { answer, refusal } from './answers.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type Note, type TaskContext } from './context.ts'
import { podEndText } from './pods.ts'

type Written = EventOf<TaskEvent, 'note.written'>

function noteFault(context: TaskContext, event: Written): Change | null {
  if (event.pod !== context.pod.ordinal)
    return { effects: [answer(refusal('pod-superseded', `pod ${context.pod.ordinal} has taken over`))] }
  if (context.pod.agentKind === '') return { effects: [answer(refusal('agent-kind-empty', 'the Task runs no agent'))] }
  return null
}

/** A plan is shown on the issues by the Issues themselves, so that `/approve` is about something seen (APPROVAL-11). */
function planNews(context: TaskContext, { id, body, bodyHash }: Written): NonNullable<Change['effects']> {
  if (context.stage.class === 'terminal') return []
  return context.forge.issues.map(({ issue }) =>
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
  const note: Note = { id, agent: context.pod.agentKind, pod, at: context.at, kind, body, bodyHash, source: 'agent' }
  const isPlan = kind === 'plan'
  return {
    context: withChanges(
      { journal: { notes: [...withoutWords(context.journal.notes, spilled), note] } },
      isPlan ? { journal: { planHash: bodyHash, planNoteId: id } } : {},
    ),
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
): { readonly context: { readonly journal: Pick<TaskContext['journal'], 'notes'> } } {
  const pod = context.pod.ordinal
  const note: Note = {
    id: `operator-${pod}-${kind}`,
    agent: context.pod.agentKind || context.kind,
    pod,
    at: context.at,
    kind,
    body,
    bodyHash: shortHash(body),
    source: 'operator',
  }
  return { context: { journal: { notes: [...context.journal.notes, note] } } }
}

export function noteAlert(context: TaskContext): Change {
  return noteByPlatform(context, 'note', 'The alert fired again. The platform only counts its further firings.')
}

function listed(title: string, repositories: readonly string[]): string {
  return `${title}: ${repositories.length > 0 ? repositories.join(', ') : 'none'}`
}

/** Of that pod's own last turn: what the next one could go on from. */
function leftBehind(context: TaskContext, pod: number): boolean {
  if (context.turn.lastPod !== pod) return false
  const repositories = [...context.turn.lastPushedRepos, ...context.turn.lastFailedRepos]
  return context.turn.lastFinalText !== '' || repositories.length > 0
}

/** From the pod's own last turn; a placeholder when there is nothing (STOP-SEQUENCE-5, STOP-SEQUENCE-6). */
function operatorBody(context: TaskContext, event: EventOf<TaskEvent, 'pod.noteMissing'>): string {
  const { pod, reason } = event
  const ended = reason ? `The pod ended: ${podEndText(event)}.` : 'The pod ended.'
  if (!leftBehind(context, pod)) return `${ended} It left nothing behind. handoff=none`
  return [
    `${ended} Written from its last turn, which left no note.`,
    listed('Pushed', context.turn.lastPushedRepos),
    listed('Failed to push', context.turn.lastFailedRepos),
    context.turn.lastFinalText || 'It said nothing at the end.',
  ].join('\n')
}

/** Asked again, it is answered again, but written once. */
export function writeOperatorNote(context: TaskContext, event: EventOf<TaskEvent, 'pod.noteMissing'>): Change {
  const { pod } = event
  const id = `operator-${pod}`
  const told = tellPod(`${context.id}/${pod}`, { type: 'pod.noted', kind: 'handoff', source: 'operator' })
  if (context.journal.notes.some((note) => note.id === id)) return { effects: [told] }
  const body = operatorBody(context, event)
  const note: Note = {
    id,
    agent: context.pod.agentKind,
    pod,
    at: context.at,
    kind: 'handoff',
    body,
    bodyHash: shortHash(body),
    source: 'operator',
    ...(leftBehind(context, pod) ? {} : { empty: true }),
  }
  return { context: { journal: { notes: [...context.journal.notes, note] } }, effects: [told] }
}
