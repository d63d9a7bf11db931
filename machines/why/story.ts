/**
 * A Task's life on one time line: a lane for what it waits for, and one for each of Task, pods, turns, queue, issues and
 * merge requests. Pure: the journals are read before. A bar's words are those of `standingOf` by the path that a step
 * led to, and by the few events that say more. Bars of a lane never overlap and leave no gap: a lane is as long as the life.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { ActorKind, Owner } from '../definition.ts'
import { reasons } from '../generated/reasons.ts'
import type { TaskContext } from '../task/context.ts'
import { isReason, type ReasonName } from './reason.ts'
import { standingOf, wordFor, type Word } from './standing.ts'

const waitNames = ['agent', 'person', 'operator', 'queue', 'CI', 'forge', 'platform', 'nobody'] as const
type WaitName = (typeof waitNames)[number]

const tones = ['goes', 'waits', 'asks', 'trouble', 'rests'] as const

const Look = {
  sign: Type.String(),
  word: Type.String(),
  tone: Type.Unsafe<(typeof tones)[number]>(Type.Union(tones.map((tone) => Type.Literal(tone)))),
  /** Of what it waits for. */
  on: Type.Optional(Type.Unsafe<WaitName>(Type.Union(waitNames.map((name) => Type.Literal(name))))),
  text: Type.Optional(Type.String()),
}
const looks = Type.Object(Look)
type Look = Static<typeof looks>

const Bar = Type.Object({
  ...Look,
  from: Type.Number(),
  until: Type.Number(),
  /** The actor and the step that began it. */
  address: Type.Optional(Type.String()),
  seq: Type.Optional(Type.Integer()),
})
type Bar = Static<typeof Bar>

const Lane = Type.Object({ title: Type.String(), bars: Type.Array(Bar) })
export type Lane = Static<typeof Lane>

export const Story = Type.Object({
  /** From when it was asked for, or from the oldest step that is known. */
  from: Type.Number(),
  until: Type.Number(),
  /** Else `until` is when it was read, and the last bar of each lane goes on. */
  isOver: Type.Boolean(),
  /** The oldest step that is known, where it is not the first. `isKept`: the earlier ones are too many to be shown. */
  cut: Type.Union([Type.Object({ step: Type.Integer(), isKept: Type.Boolean() }), Type.Null()]),
  /** The first is what it waited for. */
  lanes: Type.Array(Lane),
  /** Of all its time, the longest first. */
  waits: Type.Array(Type.Object({ on: Type.String(), ms: Type.Number() })),
})
export type Story = Static<typeof Story>

/** A row of a journal, as far as a story reads it. */
export interface StoryRow {
  readonly seq: number
  readonly at: number
  readonly path: string
  readonly status: 'active' | 'done'
  readonly event: { readonly type: string; readonly [field: string]: unknown }
  readonly effects: readonly { readonly type: string; readonly params: { readonly [name: string]: unknown } }[]
}

/** With the newest rows of its journal, the oldest first. None: its journal is not there. */
export interface StoryActor {
  readonly address: string
  readonly kind: ActorKind
  /** What a lane or its bars call it. */
  readonly name: string
  readonly rows: readonly StoryRow[]
}

export interface StorySeen {
  readonly task: StoryActor & {
    readonly status: 'active' | 'done' | 'quarantined'
    readonly path: string
    readonly context: TaskContext
    /** The first row that was asked for. */
    readonly readFrom: number
  }
  /** The newest, in the order of their lives. */
  readonly pods: readonly StoryActor[]
  readonly turns: readonly StoryActor[]
  /** How many came before those. */
  readonly earlierPods: number
  readonly earlierTurns: number
  /** Its issues and merge requests. */
  readonly threads: readonly StoryActor[]
  /** What a lane calls a journal that is not there. */
  readonly absent: string
  readonly now: number
}

/** Of a lane: the page of a Task that moved thousands of times stays one. */
const mostBars = 100

export function storyOf(seen: StorySeen): Story {
  const { task, now } = seen
  const [first] = task.rows
  const last = task.rows.at(-1)
  if (first === undefined || last === undefined) return withoutRows(seen)
  const from = (first.seq === 1 ? askedAt(seen, first) : undefined) ?? first.at
  const life = { from, until: Math.max(from, last.at, last.status === 'done' ? 0 : now) }
  const rests = withNow(seen, lane('Waits for', waitMarks(seen, life), life))
  return {
    ...life,
    isOver: last.status === 'done',
    cut: first.seq === 1 ? null : { step: first.seq, isKept: first.seq === task.readFrom },
    lanes: [
      rests,
      lane('Task', stageMarks(seen, life), life),
      lane('Queue', queueMarks(seen, life), life),
      lane('Pods', podMarks(seen, life), life),
      lane('Turns', turnMarks(seen, life), life),
      ...seen.threads.map((thread) => lane(thread.name, threadMarks(thread, seen, life), life)),
    ].map(cutBars),
    waits: totalsOf(rests),
  }
}

/** Retention took the whole journal. */
function withoutRows({ task, now }: StorySeen): Story {
  return { from: now, until: now, isOver: true, cut: { step: task.readFrom, isKept: false }, lanes: [], waits: [] }
}

interface Life {
  readonly from: number
  readonly until: number
}

/** From here on a lane has this look. */
interface Mark {
  readonly at: number
  readonly look: Look
  readonly address?: string
  readonly seq?: number
}

/** Times of several actors may be of several clocks: none goes back. The end of a life is kept though it takes no time. */
function lane(title: string, marks: readonly Mark[], { from, until }: Life): Lane {
  const bars: Bar[] = []
  let at = from
  for (const [index, { look, at: begins, ...origin }] of marks.entries()) {
    at = Math.min(until, Math.max(at, begins))
    const end = Math.min(until, Math.max(at, marks[index + 1]?.at ?? until))
    const before = bars.at(-1)
    if (before !== undefined && isSame(before, look)) bars[bars.length - 1] = { ...before, until: end }
    else if (end > at || index === marks.length - 1) bars.push({ ...look, ...origin, from: at, until: end })
  }
  return { title, bars }
}

function isSame(one: Look, other: Look): boolean {
  return one.word === other.word && one.on === other.on
}

function cutBars({ title, bars }: Lane): Lane {
  const [oldest] = bars
  const kept = bars.slice(-mostBars)
  const [next] = kept
  const count = bars.length - kept.length
  if (count === 0 || oldest === undefined || next === undefined) return { title, bars }
  return { title, bars: [{ ...plain('…', `${count} earlier`), from: oldest.from, until: next.from }, ...kept] }
}

function totalsOf({ bars }: Lane): Story['waits'] {
  const sums = new Map<string, number>()
  for (const { on = 'nobody', from, until } of bars) sums.set(on, (sums.get(on) ?? 0) + until - from)
  return [...sums]
    .filter(([, ms]) => ms > 0)
    .map(([on, ms]) => ({ on, ms }))
    .toSorted((a, b) => b.ms - a.ms)
}

function plain(sign: string, word: string, tone: Look['tone'] = 'rests'): Look {
  return { sign, word, tone }
}

/** Whoever asked for the Task put its entry into the queue: the issue, or the merge request. */
function askedAt({ threads }: StorySeen, { event, at }: StoryRow): number | undefined {
  const { entry } = event
  if (entry === undefined) return undefined
  const asks = threads.flatMap(({ rows }) =>
    rows.filter(({ effects }) => effects.some(({ params }) => entryOf(params) === entry)),
  )
  return asks.map((row) => row.at).find((asked) => asked <= at)
}

const Enqueue = Type.Object({ event: Type.Object({ type: Type.Literal('queue.enqueue'), entry: Type.String() }) })

function entryOf(params: unknown): string | undefined {
  return Value.Check(Enqueue, params) ? params.event.entry : undefined
}

function markOf(address: string, { at, seq }: StoryRow, look: Look): Mark {
  return { at, look, address, seq }
}

/** Who moves a state is who is waited for. */
const waitOfOwner: Readonly<Record<Owner, WaitName>> = {
  agent: 'agent',
  human: 'person',
  maintainer: 'person',
  operator: 'operator',
  queue: 'queue',
  forge: 'forge',
  none: 'nobody',
  platform: 'platform',
  pod: 'platform',
  project: 'platform',
  task: 'platform',
  turn: 'platform',
  wrapper: 'platform',
}

const slotWait = 'task/pod.awaitingSlot'
const withheldWait = 'task/pod.awaitingSlot/withheld'
const approvalWait = 'task/pod.working.idle/awaiting-approval'

/** What events say of a rest beyond the state that they led to. */
interface Known {
  /** Hashes of the newest plan and of the one that was granted last: an approval counts for the plan that it cites. */
  readonly plan: unknown
  readonly granted: unknown
  readonly isWithheld: boolean
  readonly isChecked: boolean
}

const learnt: Readonly<Record<string, (event: StoryRow['event']) => Partial<Known>>> = {
  'note.written': ({ kind, bodyHash }) => (kind === 'plan' ? { plan: bodyHash } : {}),
  'approval.granted': ({ planHash }) => ({ granted: planHash }),
  'approval.revoked': () => ({ granted: null }),
  'model.withheld': () => ({ isWithheld: true }),
  'model.served': () => ({ isWithheld: false }),
  'slot.granted': () => ({ isWithheld: false }),
  'mr.ciPending': () => ({ isChecked: true }),
  'mr.notMergeableYet': () => ({ isChecked: false }),
}

function waitMarks({ task }: StorySeen, { from }: Life): readonly Mark[] {
  const { journal, forge } = task.context
  const isWhole = task.rows[0]?.seq === 1
  let known: Known = {
    plan: isWhole ? null : journal.planHash,
    granted: !isWhole && forge.issues.every(({ grant }) => grant?.planHash === journal.planHash) && journal.planHash,
    isWithheld: false,
    isChecked: false,
  }
  const marks = task.rows.map((row) => {
    known = { ...known, ...learnt[row.event.type]?.(row.event) }
    return markOf(task.address, row, waitAt(task.context, row, known))
  })
  return [{ at: from, look: named(slotWait) }, ...marks]
}

/** Journals of old machines have the regions in another order: of two that say as much the stage has the word. */
function waitAt(context: TaskContext, row: StoryRow, known: Known): Look {
  const path = row.path.split(' ').toSorted().toReversed().join(' ')
  const park = parkOf(context, row)
  if (park !== undefined && isReason(park)) return named(park)
  const isAsked = known.plan !== null && known.plan !== known.granted
  if (path.includes('pod.working.idle') && isAsked && context.forge.issues.length > 0) return named(approvalWait)
  if (path.includes('pod.awaitingSlot') && known.isWithheld) return named(withheldWait)
  const { sign, word, tone, owner, reason } = standingOf({ kind: 'task', status: 'active', path })
  if (path.includes('merging.asked.backingOff') && known.isChecked)
    return { ...plain(sign, 'checks run', tone), on: 'CI', text: 'the checks of the merge request are not done' }
  if (tone === 'rests') return { ...plain(sign, word, tone), on: 'nobody' }
  return withText({ ...plain(sign, word, tone), on: waitOf(owner) }, reason)
}

function waitOf(owner: Owner | undefined): WaitName {
  return waitOfOwner[owner ?? 'none']
}

function withText(look: Look, text: string | undefined): Look {
  return text === undefined ? look : { ...look, text }
}

/** By a name of the enum of reasons. */
function named(name: ReasonName): Look {
  const { sign, word, tone }: Word = wordFor(name) ?? plain('○', 'unknown', 'waits')
  const { owner, text } = reasons[name]
  return { ...plain(sign, word, tone), on: waitOf(owner), text }
}

/** The journal has a park's state, the Task's own list of stages why it was entered. */
function parkOf({ stage }: TaskContext, { path, at }: StoryRow): string | undefined {
  const [, park] = /(?:^| )stage\.live\.parked\.([^. ]+)/.exec(path) ?? []
  const reason = stage.history.findLast((visit) => visit.stage === park && visit.at <= at)?.reason
  return park === undefined || !reason ? undefined : `task/${park}/${reason}`
}

/** Where it stands now it is said as everywhere else. */
function withNow({ task }: StorySeen, waits: Lane): Lane {
  const last = waits.bars.at(-1)
  if (last === undefined || task.status === 'done') return waits
  const { sign, word, tone, reason, owner } = standingOf(task)
  if (word === last.word || tone === 'rests') return waits
  const now = withText({ ...plain(sign, word, tone), on: last.on === 'CI' ? 'CI' : waitOf(owner) }, reason)
  return { ...waits, bars: [...waits.bars.slice(0, -1), { ...last, ...now }] }
}

function stageMarks({ task }: StorySeen, { from }: Life): readonly Mark[] {
  const marks = task.rows.map((row) => markOf(task.address, row, stageAt(task.context, row)))
  return [{ at: from, look: plain('◷', 'queued', 'waits') }, ...marks]
}

/** Blue, though it may work: whether work goes on is said by what it waits for. */
function stageAt(context: TaskContext, row: StoryRow): Look {
  const stage = row.path.split(' ').find((leaf) => leaf.startsWith('stage')) ?? ''
  const [, live, kind = '', name = kind] = stage.split('.')
  if (live !== 'live') return plain(wordFor(`task/${stage}`)?.sign ?? '○', live ?? '')
  if (kind !== 'parked') return plain('◆', name, 'waits')
  return plain('‖', parkOf(context, row)?.replace('task/', '').replace('/', ': ') ?? name, 'asks')
}

function queueMarks({ task }: StorySeen, { from }: Life): readonly Mark[] {
  const marks = task.rows.map((row) => markOf(task.address, row, slotAt(row.path)))
  return [{ at: from, look: queued }, ...marks]
}

const queued = plain('◷', 'waits for a slot', 'waits')

function slotAt(path: string): Look {
  const [, state = ''] = /(?:^| )pod\.(\w+)/.exec(path) ?? []
  if (state === 'awaitingSlot') return queued
  return ['starting', 'working', 'stopping'].includes(state) ? plain('●', 'has a slot') : plain('○', 'needs no slot')
}

function podMarks({ pods, earlierPods, absent }: StorySeen, { from }: Life): readonly Mark[] {
  return inTurn(pods, 'pod', earlierPods, { at: from, look: plain('…', absent) })
}

function turnMarks({ turns, earlierTurns, absent }: StorySeen, { from }: Life): readonly Mark[] {
  return inTurn(turns, 'turn', earlierTurns, { at: from, look: plain('…', absent) })
}

/** One lives after another; one that is absent from the end of the one before it. */
function inTurn(actors: readonly StoryActor[], noun: string, earlier: number, absent: Mark): readonly Mark[] {
  const isCut = (actors[0]?.rows[0]?.seq ?? 1) > 1
  const before =
    earlier > 0 ? plain('…', `${earlier} earlier`) : isCut ? plain('…', 'not kept') : plain('○', `no ${noun}`)
  const marks = actors.flatMap((actor) =>
    actor.rows.length === 0 ? [absent] : actor.rows.map((row) => markOf(actor.address, row, actorAt(actor, row, noun))),
  )
  return [{ at: absent.at, look: before }, ...marks]
}

function actorAt({ kind, name }: StoryActor, { path, status }: StoryRow, noun: string): Look {
  const { sign, word, tone, reason } = standingOf({ kind, status: 'active', path })
  if (status === 'active') return withText(plain(sign, `${name}: ${word}`, tone), reason)
  const isWell = word === 'gone' || word === 'completed'
  return plain('○', isWell ? `no ${noun}` : `no ${noun}, ${name}: ${word}`)
}

/** A thread lives on after the Task. */
function threadMarks(
  { address, kind, rows }: StoryActor,
  { absent }: StorySeen,
  { from, until }: Life,
): readonly Mark[] {
  let isPlanned = false
  const marks = rows
    .filter(({ at }) => at <= until)
    .map((row) => {
      isPlanned ||= row.event.type === 'plan.written'
      return markOf(address, row, threadAt(kind, row, isPlanned))
    })
  const [first] = rows
  const before =
    first === undefined ? plain('…', absent) : first.seq === 1 ? plain('○', 'not there yet') : plain('…', 'not kept')
  return [{ at: from, look: before }, ...marks]
}

function threadAt(kind: ActorKind, { path }: StoryRow, isPlanned: boolean): Look {
  if (path === 'live.refined' && isPlanned) {
    const { on: _, ...look } = named(approvalWait)
    return look
  }
  const { sign, word, tone, reason } = standingOf({ kind, status: 'active', path })
  return withText(plain(sign, word, tone), reason)
}
