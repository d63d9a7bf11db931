import type { LiveHead } from '../../../machines/task/events.ts'
import {
  answerIn,
  idOf,
  performances,
  stepsOf,
  taskIn,
  type Performed,
  type Stepped,
  type Trace,
} from '../world/trace.ts'
import type { Law } from './law.ts'

interface Read {
  readonly repo: string
  readonly number: number
  readonly sha: string
}

interface Judged {
  readonly action: string
  readonly isHeld: boolean
  readonly sha: string
  /** The call found commits in it that nobody who may let them merge has pushed. */
  readonly isForeign: boolean
  /** Branch against which the judging turn was told to read it. */
  readonly base: string | undefined
}

function isVerdict({ event, actor }: Stepped, task: string): boolean {
  return (
    actor === task &&
    event.type === 'outcome' &&
    (event['action'] === 'approve' || event['action'] === 'request_changes')
  )
}

/** A review that was accepted for the first time; its repeat says nothing new. */
function isAccepted(step: Stepped): boolean {
  return answerIn(step)?.status === 200 && JSON.stringify(step.before?.value) !== JSON.stringify(step.after.value)
}

function readOf({ event }: Stepped, { effect: { params } }: Performed): Read | undefined {
  const { reviewed_shas: read } = event['payload'] as { readonly reviewed_shas: readonly Read[] }
  return read.find(({ repo, number }) => repo === params['repository'] && number === params['number'])
}

function foreignOf({ event }: Stepped, { effect: { params } }: Performed): boolean {
  const live = event['heads'] as readonly LiveHead[]
  const found = live.find((one) => one.repository === params['repository'] && one.number === params['number'])
  return (found?.foreign ?? []).length > 0
}

/**
 * A turn is rendered when it is submitted: what the Task knew then is what its agent read (HEAD-1). An agent that decides before
 * a turn was submitted to its pod read what the Task knew as it decided.
 */
function baseRead(
  trace: Trace,
  { event, actor, before }: Stepped,
  { effect: { params } }: Performed,
): string | undefined {
  const turn = performances(trace, 'submitTurn', 'accepted').findLast(
    ({ effect }) => effect.params['task'] === idOf(actor) && effect.params['podOrdinal'] === event['pod'],
  )
  const task = turn?.actors.get(actor) ?? before
  const known = task && taskIn(task).forge.mergeRequests
  return known?.find((mr) => mr.repository === params['repository'] && mr.number === params['number'])?.baseBranch
}

/** The newest accepted word on this merge request, and whether it had to wait for a maintainer. */
function newestWord(trace: Trace, merge: Performed): Judged | undefined {
  const before = trace.slice(0, trace.indexOf(merge))
  const verdict = stepsOf(before, 'task').findLast((step) => isVerdict(step, merge.effect.actor) && isAccepted(step))
  const read = verdict && readOf(verdict, merge)
  return (
    verdict && {
      action: String(verdict.event['action']),
      isHeld: JSON.stringify(verdict.after.value).includes('awaiting-human'),
      isForeign: foreignOf(verdict, merge),
      sha: read?.sha ?? 'nothing',
      base: baseRead(before.slice(0, before.indexOf(verdict)), verdict, merge),
    }
  )
}

function hasGoAhead(trace: Trace, merge: Performed): boolean {
  const { actor, params } = merge.effect
  return stepsOf(trace.slice(0, trace.indexOf(merge)), 'task').some(({ actor: task, event }) => {
    if (task !== actor || event.type !== 'mr.goAhead') return false
    return (event['shas'] as readonly { readonly sha: string }[]).some(({ sha }) => sha === params['sha'])
  })
}

function breachOf(trace: Trace, merge: Performed): readonly string[] {
  const { actor, params } = merge.effect
  const word = newestWord(trace, merge)
  const what = `${actor} merged ${String(params['repository'])}!${String(params['number'])} at ${String(params['sha'])}`
  if (word?.action !== 'approve') return [`${what}, and the newest verdict is ${word?.action ?? 'none'}`]
  if (word.sha !== params['sha']) return [`${what}, approved was ${word.sha}`]
  if (word.base !== params['base']) return [`${what} into ${String(params['base'])}, read was against ${word.base}`]
  return (word.isHeld || word.isForeign) && !hasGoAhead(trace, merge)
    ? [`${what}, and no maintainer let that head merge`]
    : []
}

export const law2: Law = {
  number: 2,
  says: 'no merge by the orchestrator without an accepted `approve` on exactly the merged head, read against exactly the base that it is merged into, and without a go-ahead where others pushed to it',
  breaches: (trace) => performances(trace, 'mergeMergeRequest', 'merged').flatMap((merge) => breachOf(trace, merge)),
}
