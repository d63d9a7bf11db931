/**
 * What the laws remember of the past, kept outside the machines: a machine that forgets must not make its law forget.
 * Plain and small, for it is part of every state.
 */
import type { ActorAddress, MachineEvent } from '../../machines/definition.ts'
import { answerIn, idOf, kindOf, sentIn, stageOf, taskIn, type Moment, type Stepped } from '../machines/world/trace.ts'
import { keepLabels, type Labels } from '../machines/laws/labels.ts'
import { keepHeard, type Heard } from '../machines/laws/withdrawals.ts'
import { keepPrompts, noPrompts, type Prompts } from '../machines/laws/prompts.ts'
import { emptyBook, keepBook, type Book } from './book.ts'
import type { Past } from './world-model.ts'

export interface Limits {
  readonly normal: number
  readonly alert: number
  readonly isPaused: boolean
  readonly isReady: boolean
  readonly budget: string
}

export interface JudgedHead {
  readonly repo: string
  readonly number: number
  readonly sha: string
}

export interface Verdict {
  readonly action: string
  /** It had to wait for a maintainer. */
  readonly isHeld: boolean
  readonly heads: readonly JudgedHead[]
}

export interface Ghosts {
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
  /** In which order the merge requests of a Task merge, by Task. */
  readonly orders: Readonly<Record<string, readonly string[]>>
}

const noGhosts: Ghosts = {
  limits: { normal: 0, alert: 0, isPaused: true, isReady: false, budget: 'open' },
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
  orders: {},
}

function remember(ghosts: Ghosts, moment: Moment): Ghosts {
  const prompts = keepPrompts(ghosts.prompts, moment)
  return { ...rememberedOf(ghosts, moment), prompts, withdrawals: keepHeard(ghosts.withdrawals, moment) }
}

function rememberedOf(ghosts: Ghosts, moment: Moment): Ghosts {
  if (moment.kind !== 'stepped') return { ...ghosts, labels: keepLabels(ghosts.labels, moment) }
  const kind = kindOf(moment.actor)
  if (kind === 'queue') return queueStepped(ghosts, moment)
  if (kind === 'task') return taskStepped(ghosts, moment)
  if (kind === 'pod') return podStepped(ghosts, moment)
  if (kind === 'ledger') return { ...ghosts, book: keepBook(ghosts.book, moment) }
  if (kind === 'turn' && moment.after.status === 'done')
    return { ...ghosts, turns: without(ghosts.turns, moment.actor) }
  return ghosts
}

export const taskPast: Past<Ghosts> = { none: noGhosts, remember }

function without(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : list
}

function omit<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  const { [key]: _gone, ...rest } = record
  return rest
}

function queueStepped(ghosts: Ghosts, step: Stepped): Ghosts {
  const heard = queueHeard(ghosts, step.event)
  const granted = grantedIn(step).map((entry) => [entry, heard.asked[entry]?.[0] ?? 'unknown'] as const)
  return granted.length === 0 ? heard : { ...heard, held: { ...heard.held, ...Object.fromEntries(granted) } }
}

export function grantedIn(step: Stepped): readonly string[] {
  return sentIn(step)
    .filter(({ to }) => to.startsWith('task:'))
    .map(({ event }) => String(event['entry']))
}

function queueHeard(ghosts: Ghosts, event: MachineEvent): Ghosts {
  const { limits } = ghosts
  const entry = String(event['entry'])
  const max = Number(event['maxConcurrentAgents'])
  switch (event.type) {
    case 'queue.enqueue':
      return { ...ghosts, asked: { ...ghosts.asked, [entry]: [String(event['class']), String(event['sort'])] } }
    case 'queue.configured':
      return {
        ...ghosts,
        limits: {
          ...limits,
          normal: Math.min(max, Number(event['capacity'])),
          alert: Number(event['alertCapacity']),
          isPaused: max === 0,
        },
      }
    case 'queue.budgeted':
      return { ...ghosts, limits: { ...limits, budget: String(event['state']) } }
    case 'queue.opened':
      return { ...ghosts, limits: { ...limits, isReady: true } }
    case 'queue.closed':
      return { ...ghosts, limits: { ...limits, isReady: false } }
    case 'queue.release':
      return givenBack(ghosts, entry)
    // An admitted `mint` is its Task's: only a release gives it back.
    case 'queue.withdraw':
      return ghosts.asked[entry]?.[1] === 'mint' && entry in ghosts.held ? ghosts : givenBack(ghosts, entry)
    default:
      return ghosts
  }
}

function givenBack(ghosts: Ghosts, entry: string): Ghosts {
  return { ...ghosts, held: omit(ghosts.held, entry), asked: omit(ghosts.asked, entry) }
}

function taskStepped(ghosts: Ghosts, step: Stepped): Ghosts {
  const { actor, before, after, event } = step
  const id = idOf(actor)
  const started = sentIn(step).filter(({ event: { type } }) => type === 'pod.start')
  let next: Ghosts = started.length > 0 ? { ...ghosts, pods: [...ghosts.pods, ...started.map(({ to }) => to)] } : ghosts
  const isMoved = stageOf(before) !== stageOf(after)
  if (event.type === 'outcome' && isMoved) next = { ...next, moved: [...next.moved, `${id}/${String(event['pod'])}`] }
  if (isReview(event) && answerIn(step)?.status === 200 && isMoved)
    next = { ...next, verdicts: { ...next.verdicts, [id]: verdictOf(step) }, goAheads: omit(next.goAheads, id) }
  const order = orderIn(step)
  if (order) next = { ...next, orders: { ...next.orders, [actor]: order } }
  if (event.type === 'mr.goAhead') {
    const shas = (event['shas'] as readonly { repository: string; number: number; sha: string }[]).map(
      ({ repository, number, sha }) => ({ repo: repository, number, sha }),
    )
    next = { ...next, goAheads: { ...next.goAheads, [id]: [...(next.goAheads[id] ?? []), ...shas] } }
  }
  return after.status === 'done' || taskIn(after).stageClass === 'terminal' ? forgotten(next, id) : next
}

/** The newest one that was accepted. */
function orderIn(step: Stepped): readonly string[] | undefined {
  const { event } = step
  if (event.type !== 'outcome' || event['action'] !== 'submitted' || answerIn(step)?.status !== 200) return undefined
  return (event['payload'] as { readonly merge_order?: readonly string[] }).merge_order
}

/** A Task that has ended merges nothing more; what its pods did is told by their own end. */
function forgotten(ghosts: Ghosts, id: string): Ghosts {
  return id in ghosts.verdicts || id in ghosts.goAheads
    ? { ...ghosts, verdicts: omit(ghosts.verdicts, id), goAheads: omit(ghosts.goAheads, id) }
    : ghosts
}

function isReview(event: MachineEvent): boolean {
  return event.type === 'outcome' && (event['action'] === 'approve' || event['action'] === 'request_changes')
}

function verdictOf({ event, after }: Stepped): Verdict {
  const { reviewed_shas: heads } = event['payload'] as { readonly reviewed_shas: readonly JudgedHead[] }
  return {
    action: String(event['action']),
    isHeld: stageOf(after).includes('awaiting-human'),
    heads: heads.map(({ repo, number, sha }) => ({ repo, number, sha })),
  }
}

const turnEnds: ReadonlySet<string> = new Set(['turn.abandon', 'turn.podFinal'])

function podStepped(ghosts: Ghosts, step: Stepped): Ghosts {
  const { actor, event, after } = step
  let { turns, stopped, pods, moved } = ghosts
  for (const { to, event: sent } of sentIn(step)) if (turnEnds.has(sent.type)) turns = without(turns, to)
  for (const { to, event: sent } of sentIn(step)) if (sent.type === 'turn.start') turns = [...turns, to]
  if (event.type === 'pod.stop' && !stopped.includes(actor)) stopped = [...stopped, actor]
  if (after.status === 'done') {
    pods = without(pods, actor)
    stopped = without(stopped, actor)
    moved = without(moved, idOf(actor as ActorAddress))
  }
  return { ...ghosts, turns, stopped, pods, moved }
}
