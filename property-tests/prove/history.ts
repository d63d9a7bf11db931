/**
 * What the laws remember of the past, kept outside the machines: a machine that forgets must not make its law forget.
 * Plain and small, for it is part of every state.
 */
import type { ActorAddress, MachineEvent } from '../../machines/definition.ts'
import type { Head } from '../../machines/task/context.ts'
import type { LiveHead } from '../../machines/task/events.ts'
import { answerIn, idOf, kindOf, sentIn, stageOf, taskIn, type Moment, type Stepped } from '../machines/world/trace.ts'
import { keepSpent, type Spent } from '../machines/laws/comes-back.ts'
import { keepLabels, type Labels } from '../machines/laws/labels.ts'
import { keepHeard, type Heard } from '../machines/laws/withdrawals.ts'
import { keepPrompts, noPrompts, type Prompts } from '../machines/laws/prompts.ts'
import { emptyBook, keepBook, type Book } from './book.ts'
import type { Past } from './past.ts'

export interface Limits {
  readonly normal: number
  readonly alert: number
  readonly isPaused: boolean
  /** By an operator. */
  readonly isStopped: boolean
  readonly isReady: boolean
  readonly budget: string
  readonly key?: unknown
  /** The provider does not serve the key. */
  readonly isWithheld: boolean
}

export interface JudgedHead {
  readonly repo: string
  readonly number: number
  readonly sha: string
  /** Branch that the forge had it against in the call. */
  readonly base?: string | undefined
  /** It has commits that nobody who may let them merge has pushed. */
  readonly isForeign?: boolean
}

export interface Verdict {
  readonly action: string
  /** It had to wait for a maintainer. */
  readonly isHeld: boolean
  readonly heads: readonly JudgedHead[]
}

export interface History {
  readonly limits: Limits
  /** Entries that were granted and not given back, with their class. */
  readonly held: Readonly<Record<string, string>>
  /** Asked for, with their class and sort; gone when given back. */
  readonly asked: Readonly<Record<string, readonly [string, string]>>
  /** Pods whose outcome moved their Task's stage. */
  readonly moved: readonly string[]
  /** Pods that were told to stop and live. */
  readonly stopped: readonly string[]
  /** Pods from the moment they are asked for to their own end. */
  readonly pods: readonly string[]
  readonly turns: readonly string[]
  /** The newest accepted word of a review, by Task. */
  readonly verdicts: Readonly<Record<string, Verdict>>
  readonly goAheads: Readonly<Record<string, readonly JudgedHead[]>>
  /** As the forge has them, by Issue. */
  readonly labels: Labels
  readonly book: Book
  readonly prompts: Prompts
  /** Which withdrawals the Issues have heard of. */
  readonly withdrawals: Heard
  readonly spent: Spent
  /** In which order the merge requests of a Task merge, by Task. */
  readonly orders: Readonly<Record<string, readonly string[]>>
}

const noHistory: History = {
  limits: { normal: 0, alert: 0, isPaused: true, isStopped: false, isReady: false, budget: 'open', isWithheld: false },
  held: {},
  asked: {},
  moved: [],
  stopped: [],
  pods: [],
  turns: [],
  verdicts: {},
  goAheads: {},
  labels: {},
  book: emptyBook,
  prompts: noPrompts,
  withdrawals: {},
  spent: {},
  orders: {},
}

function remember(history: History, moment: Moment): History {
  const prompts = keepPrompts(history.prompts, moment)
  const spent = keepSpent(history.spent, moment)
  return { ...rememberedOf(history, moment), prompts, spent, withdrawals: keepHeard(history.withdrawals, moment) }
}

function rememberedOf(history: History, moment: Moment): History {
  if (moment.kind !== 'stepped') return { ...history, labels: keepLabels(history.labels, moment) }
  const kind = kindOf(moment.actor)
  if (kind === 'queue') return queueStepped(history, moment)
  if (kind === 'task') return taskStepped(history, moment)
  if (kind === 'pod') return podStepped(history, moment)
  if (kind === 'ledger') return { ...history, book: keepBook(history.book, moment) }
  if (kind === 'turn' && moment.after.status === 'done')
    return { ...history, turns: without(history.turns, moment.actor) }
  return history
}

export const taskPast: Past<History> = { none: noHistory, remember }

function without(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : list
}

function omit<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  const { [key]: _gone, ...rest } = record
  return rest
}

function queueStepped(history: History, step: Stepped): History {
  const heard = queueHeard(history, step.event)
  const granted = grantedIn(step).map((entry) => [entry, heard.asked[entry]?.[0] ?? 'unknown'] as const)
  return granted.length === 0 ? heard : { ...heard, held: { ...heard.held, ...Object.fromEntries(granted) } }
}

/** What a queue sends a Task that may begin, or may have its pod. */
export const grants: ReadonlySet<string> = new Set(['task.minted', 'slot.granted'])

export function grantedIn(step: Stepped): readonly string[] {
  return sentIn(step)
    .filter(({ event }) => grants.has(event.type))
    .map(({ event }) => String(event['entry']))
}

function queueHeard(history: History, event: MachineEvent): History {
  const entry = String(event['entry'])
  switch (event.type) {
    case 'queue.enqueue':
      return { ...history, asked: { ...history.asked, [entry]: [String(event['class']), String(event['sort'])] } }
    case 'queue.release':
      return givenBack(history, entry)
    // An admitted `mint` is its Task's: only a release gives it back.
    case 'queue.withdraw':
      return history.asked[entry]?.[1] === 'mint' && entry in history.held ? history : givenBack(history, entry)
    default:
      return { ...history, limits: { ...history.limits, ...limitsIn(history.limits, event) } }
  }
}

function limitsIn({ key, isWithheld }: Limits, event: MachineEvent): Partial<Limits> {
  const max = Number(event['maxConcurrentAgents'])
  const normal = Math.min(max, Number(event['capacity']))
  const told: Readonly<Record<string, Partial<Limits>>> = {
    'queue.configured': { normal, alert: Number(event['alertCapacity']), isPaused: max === 0 },
    'queue.budgeted': { budget: String(event['state']) },
    'queue.opened': { isReady: true },
    'queue.closed': { isReady: false },
    'queue.paused': { isStopped: true },
    'queue.resumed': { isStopped: false },
    'queue.keyed': { key: event['key'], isWithheld: isWithheld && event['key'] === key },
    'queue.withheld': event['key'] === key ? { isWithheld: true } : {},
    'queue.served': event['key'] === key ? { isWithheld: false } : {},
  }
  return told[event.type] ?? {}
}

function givenBack(history: History, entry: string): History {
  return { ...history, held: omit(history.held, entry), asked: omit(history.asked, entry) }
}

function taskStepped(history: History, step: Stepped): History {
  const { actor, before, after, event } = step
  const id = idOf(actor)
  const started = sentIn(step).filter(({ event: { type } }) => type === 'pod.start')
  let next: History =
    started.length > 0 ? { ...history, pods: [...history.pods, ...started.map(({ to }) => to)] } : history
  const isMoved = stageOf(before) !== stageOf(after)
  if (event.type === 'outcome' && isMoved) next = { ...next, moved: [...next.moved, `${id}/${String(event['pod'])}`] }
  if (isVerdict(step))
    next = { ...next, verdicts: { ...next.verdicts, [id]: verdictOf(step) }, goAheads: omit(next.goAheads, id) }
  const order = orderIn(step)
  if (order) next = { ...next, orders: { ...next.orders, [actor]: order } }
  if (event.type === 'mr.goAhead') {
    const shas = (event['shas'] as readonly Head[]).map(({ repository, number, sha, base }) => ({
      repo: repository,
      number,
      sha,
      base,
    }))
    next = { ...next, goAheads: { ...next.goAheads, [id]: [...(next.goAheads[id] ?? []), ...shas] } }
  }
  return after.status === 'done' || taskIn(after).stage.class === 'terminal' ? forgotten(next, id) : next
}

/** The newest one that was accepted. */
function orderIn(step: Stepped): readonly string[] | undefined {
  const { event } = step
  if (event.type !== 'outcome' || event['action'] !== 'submitted' || answerIn(step)?.status !== 200) return undefined
  return (event['payload'] as { readonly merge_order?: readonly string[] }).merge_order
}

/** A Task that has ended merges nothing more; what its pods did is told by their own end. */
function forgotten(history: History, id: string): History {
  return id in history.verdicts || id in history.goAheads
    ? { ...history, verdicts: omit(history.verdicts, id), goAheads: omit(history.goAheads, id) }
    : history
}

/** A review that was accepted for the first time; its repeat says nothing new. */
export function isVerdict(step: Stepped): boolean {
  const { type, action } = step.event
  if (type !== 'outcome' || (action !== 'approve' && action !== 'request_changes')) return false
  return answerIn(step)?.status === 200 && stageOf(step.before) !== stageOf(step.after)
}

function verdictOf({ event, after }: Stepped): Verdict {
  const { reviewed_shas: heads } = event['payload'] as { readonly reviewed_shas: readonly JudgedHead[] }
  return {
    action: String(event['action']),
    isHeld: stageOf(after).includes('awaiting-human'),
    heads: heads.map(({ repo, number, sha }) => {
      const live = (event['heads'] as readonly LiveHead[]).find(
        (one) => one.repository === repo && one.number === number,
      )
      return { repo, number, sha, base: live?.base, isForeign: (live?.foreign ?? []).length > 0 }
    }),
  }
}

const turnEnds: ReadonlySet<string> = new Set(['turn.abandon', 'turn.podFinal'])

function podStepped(history: History, step: Stepped): History {
  const { actor, event, after } = step
  let { turns, stopped, pods, moved } = history
  for (const { to, event: sent } of sentIn(step)) if (turnEnds.has(sent.type)) turns = without(turns, to)
  for (const { to, event: sent } of sentIn(step)) if (sent.type === 'turn.start') turns = [...turns, to]
  if (event.type === 'pod.stop' && !stopped.includes(actor)) stopped = [...stopped, actor]
  if (after.status === 'done') {
    pods = without(pods, actor)
    stopped = without(stopped, actor)
    moved = without(moved, idOf(actor as ActorAddress))
  }
  return { ...history, turns, stopped, pods, moved }
}
