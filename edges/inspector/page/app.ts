import { h, type ComponentChild } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { HistoryRow } from '../readings/answers.ts'
import type { StepMessage } from '../messages.ts'
import type { Chart } from '../charts/chart.ts'
import { ActorList } from './list/actor-list.ts'
import { ApiError, readKinds, refusalOf } from './api.ts'
import { Home } from './list/board.ts'
import { chartTable } from './chart/chart-table.ts'
import { ChartView } from './chart/chart-view.ts'
import { Facts, standingWords } from './actor/facts.ts'
import { absence, file } from './file.ts'
import { span } from './format.ts'
import { History } from './actor/history.ts'
import { KeyList } from './key-list.ts'
import { openLine, type LineState } from './live.ts'
import { moment } from './moment.ts'
import { viewNames, viewOf, type Selection, type ViewName } from './selection.ts'
import { TaskStory } from './actor/story.ts'
import { canSignIn, renewSession, signIn, signOut } from './sign-in.ts'
import { activeOn, takenRows, type Taken } from './chart/taken.ts'
import { useActor, type Watched } from './actor/use-actor.ts'
import { useActors } from './list/use-actors.ts'
import { linkTo, select, useView } from './view.ts'

const lineText = { open: 'live', connecting: 'connecting…', lost: 'disconnected, trying again…' }

/** Several steps at once are one reading. */
const settleMs = 120

export function App(): ComponentChild {
  const [line, setLine] = useState<LineState>('connecting')
  const [closed, setClosed] = useState<Closing>()
  const isClosed = closed !== undefined
  const [kinds, setKinds] = useState<readonly string[]>()
  const looked = useView()
  const { selection, filter } = looked
  const { address } = selection
  const view = viewOf(selection)
  const [round, setRound] = useState(0)
  const [actorRound, setActorRound] = useState(0)
  const [settled, setSettled] = useState(filter)
  const [state, setState] = useState<string>()
  const [steps, setSteps] = useState(0)
  const [refusal, setRefusal] = useState<string>()
  const { now, setNow } = useNow()
  const onError = useCallback((error: unknown) => {
    const words = refusalOf(error)
    if (words !== undefined) setRefusal(words)
    else if (!(error instanceof ApiError) || error.status !== 401) setLine('lost')
    else if (!renewSession()) setClosed('over')
  }, [])

  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), 150)
    return () => clearTimeout(timer)
  }, [filter])

  const actors = useActors(kinds, settled, round, onError)
  const isBegun = kinds !== undefined
  const watched = useActor(isBegun ? address : undefined, selection.seq, round + actorRound, onError)
  const take = (step: StepMessage): void => {
    actors.take(step)
    setSteps((each) => each + 1)
  }
  const onStep = useStepTaker(take, address, () => setActorRound((count) => count + 1))
  useEffect(() => {
    if (isClosed) return
    const anew = (): void =>
      void readKinds().then((answer) => {
        setKinds(answer.kinds)
        setRound((count) => count + 1)
      }, onError)
    const onState = (next: LineState): void => {
      setLine(next)
      // Why a socket was refused is nothing that a page can see; a reading tells.
      if (next === 'lost') readKinds().catch(onError)
    }
    const begin = async (): Promise<string> => {
      const answer = await readKinds()
      setNow(answer.now)
      setKinds(answer.kinds)
      return answer.position
    }
    return openLine({ begin, onState, onMissed: anew, onStep, onTime: setNow })
  }, [isClosed])

  useEffect(() => setState(undefined), [address])
  const shownBefore = useRef(address)
  useEffect(() => {
    const isOpened = address !== undefined && shownBefore.current !== address
    shownBefore.current = watched.actor?.address ?? (address === undefined ? undefined : shownBefore.current)
    // The card that had the focus went with the board.
    if (isOpened && document.activeElement === document.body) document.getElementById('view')?.focus()
  }, [address, watched.actor?.address])
  useEffect(() => setRefusal(undefined), [filter, address])
  useEffect(() => void (document.title = titleOf(watched.actor)), [watched.actor])
  const open = (next: ViewName): void => select({ ...selection, view: next })
  if (closed === 'signedOut') return h(SignedOut, null)
  const search = (): void => {
    const field = document.querySelector<HTMLElement>('[type=search]')
    if (field?.checkVisibility() === true) return field.focus()
    open('actors')
    requestAnimationFrame(() => field?.focus())
  }
  return h('div', { class: `app tab-${view}` }, [
    h('header', null, [
      h('a', { class: 'skip', href: '#view', onClick: skip }, 'Skip the list'),
      h('h1', null, h('a', { href: linkTo({}, looked) }, 'Statewright')),
      isClosed
        ? null
        : line === 'open' && file !== undefined
          ? h('span', { class: 'line', role: 'status' }, file)
          : h('span', { class: `line ${line}`, role: 'status' }, lineText[line]),
      h(KeyList, { onSearch: search }),
      h(
        'div',
        { class: 'tabs' },
        viewNames
          .filter((name) => address !== undefined || name === 'board' || name === 'actors')
          .map((name) =>
            h(
              'button',
              { 'aria-pressed': view === name, onClick: () => (name === 'board' ? select({}) : open(name)) },
              name,
            ),
          ),
      ),
      canSignIn() && !isClosed
        ? h(
            'button',
            {
              class: 'sign-out',
              onClick: () => void signOut().then((isLeft) => isLeft || setClosed('signedOut'), onError),
            },
            'sign out',
          )
        : null,
      [looked.leftOut, refusal].map((words) => words && h('p', { class: 'note', role: 'status' }, words)),
    ]),
    h('main', { tabIndex: -1 }, [
      isClosed ? h(Closed, null) : null,
      h(ActorList, {
        kinds: kinds ?? [],
        groups: refusal === undefined ? actors.groups : [],
        isRefused: refusal !== undefined,
        now,
        round,
        onMore: actors.more,
      }),
      address === undefined && isBegun && !isClosed
        ? h(Home, { steps: steps + round, now, isRefused: refusal !== undefined, onError })
        : null,
      h(Actor, {
        watched,
        selection,
        now,
        state,
        view,
        onView: open,
        onState: (id) => {
          setState(id)
          // A narrow page shows one part at a time, and the table is in another.
          if (id !== undefined && document.querySelector('.facts')?.checkVisibility() === false) open('facts')
        },
        onSeq: (seq) => {
          const { seq: _, ...others } = selection
          select(seq === undefined ? others : { ...others, seq })
        },
      }),
    ]),
  ])
}

const plainTitle = document.title

/** What tabs, history and bookmarks of a browser call it. */
function titleOf(actor: Watched['actor']): string {
  if (actor === undefined) return plainTitle
  const { title = `${actor.kind} ${actor.id}`, links } = actor
  const name = links[0]?.text ?? ''
  return `${title.includes(name) ? '' : `${name}: `}${title} · Statewright`
}

/** The address bar holds what is looked at, so the link moves the focus alone. */
function skip(event: Event): void {
  event.preventDefault()
  const view = document.getElementById('view')
  if (view?.checkVisibility() === true) view.focus()
  else document.querySelector('main')?.focus()
}

/** The session ended by itself, or somebody ended it: then nothing of what it showed is left to see. */
type Closing = 'over' | 'signedOut'

function Closed(): ComponentChild {
  return h('p', { class: 'closed', role: 'alert' }, [
    'The session is over. ',
    canSignIn() ? [h('button', { onClick: signIn }, 'Sign in again'), ' or open'] : 'Open',
    ' the link that ',
    h('code', null, 'statewright inspector'),
    ' prints.',
  ])
}

function SignedOut(): ComponentChild {
  return h('main', { class: 'closed' }, [
    h('h1', null, 'Signed out of this page'),
    h(
      'p',
      null,
      'The identity provider may still know you. It then signs in whoever uses this browser next. Sign out there too.',
    ),
    h('p', null, h('button', { class: 'act', onClick: signIn }, 'Sign in again')),
  ])
}

interface ActorProps {
  readonly watched: Watched
  readonly selection: Selection
  readonly now: number
  readonly state: string | undefined
  readonly view: ViewName
  onView(view: ViewName): void
  onState(state: string | undefined): void
  onSeq(seq: number | undefined): void
}

function Actor({ watched, selection, now, state, view, onView, onState, onSeq }: ActorProps): ComponentChild {
  const { actor, rows, chart, newer, older } = watched
  const row = rows?.find(({ seq }) => seq === selection.seq)
  const step = row === rows?.[0] && newer === undefined ? undefined : row
  const path = step?.path ?? actor?.path ?? ''
  const active = useMemo(() => activeOn(path), [path])
  const taken = useMemo(
    () => (step === undefined && newer !== undefined ? [] : takenIn(chart, rows, step)),
    [chart, rows, step, newer === undefined],
  )
  if (actor === undefined)
    return selection.address === undefined
      ? null
      : h(
          'div',
          { class: 'middle pane', id: 'view', tabIndex: -1 },
          h('p', { class: 'empty big' }, hint(watched, selection)),
        )
  const states = statesOn(chart, path)
  const { standing } = actor
  const { seq, at: since } = step ?? { seq: actor.seq, at: actor.updatedAt }
  const hasStory = actor.kind === 'task'
  const isStory = hasStory && view === 'story'
  return h('div', { class: `looked-at ${step === undefined ? standing.tone : 'waits'}`, id: 'view', tabIndex: -1 }, [
    h('div', { class: 'middle pane' }, [
      h('h2', null, [
        h('span', { class: 'kind' }, actor.kind),
        actor.id,
        step === undefined ? h('span', { class: `badge ${standing.tone}` }, standingWords(standing)) : null,
        h('span', { class: 'since' }, [
          `step ${seq}, `,
          moment(since, `${span(now - since)} ago`),
          step === undefined ? null : [' ', h('button', { onClick: () => onSeq(undefined) }, 'to the newest')],
        ]),
        hasStory
          ? h(
              'button',
              { class: 'view', onClick: () => onView(isStory ? 'chart' : 'story') },
              isStory ? 'show chart' : 'show story',
            )
          : null,
      ]),
      selection.seq === undefined || row !== undefined
        ? null
        : h('p', { class: 'then', role: 'status' }, [
            `${withoutStep(selection.seq, watched, actor.seq)} `,
            h('button', { onClick: () => onSeq(undefined) }, 'Show the newest'),
          ]),
      isStory
        ? h(TaskStory, { address: actor.address, seq: actor.seq, step, now })
        : chart
          ? h(ChartView, { chart, active, taken, selected: state, onSelect: onState })
          : h('p', { class: 'empty big' }, chart === null ? 'This kind has no chart.' : 'Loading chart…'),
    ]),
    h('aside', { class: 'right pane' }, [
      h(Facts, {
        actor,
        step,
        states,
        now,
        selected: chartTable(chart, state, () => onState(undefined)),
        onLive: () => onSeq(undefined),
      }),
      h(History, { rows, last: actor.seq, shown: step?.seq, newer, older, view, now, onShow: onSeq }),
    ]),
  ])
}

/** What the step took that is looked at; now, what the last step took that led anywhere. */
function takenIn(
  chart: Chart | null | undefined,
  rows: readonly HistoryRow[] = [],
  step: HistoryRow | undefined,
): readonly Taken[] {
  if (!chart) return []
  const before = (row: HistoryRow): string => rows[rows.indexOf(row) + 1]?.path ?? ''
  const row = step ?? rows.find((each) => each.path !== before(each))
  return row === undefined || !row.handled || row.fault !== undefined
    ? []
    : takenRows(chart, before(row), row.path, row.type)
}

/** Why the step that a link names is not shown. */
function withoutStep(seq: number, { isAbsent, rows }: Watched, newest: number): string {
  if (!isAbsent) return `Looking for step ${seq}…`
  if (seq > newest) return `There is no step ${seq}: the newest is step ${newest}.`
  const oldest = rows?.at(-1)?.seq
  return `Step ${seq} is ${absence}${oldest === undefined ? '' : `: the history begins with step ${oldest}`}.`
}

function hint({ isMissing }: Watched, { address }: Selection): string {
  return isMissing ? `There is no actor ${address}.` : 'Loading…'
}

/** Of an earlier step only the place is known; the words for it come from the chart. */
function statesOn(chart: Chart | null | undefined, path: string): readonly Chart['states'][number][] {
  const byId = new Map(chart?.states.map((state) => [state.id, state]))
  return path.split(' ').flatMap((leaf) => byId.get(leaf) ?? [])
}

/** The server's time, moving on by the browser's own clock. */
/** In a file no time goes by: however late its server says when that was, it is that. */
function useNow(): { readonly now: number; setNow(now: number): void } {
  const [offset, setOffset] = useState(0)
  const [tick, setTick] = useState(() => Date.now())
  useEffect(() => {
    if (file !== undefined) return
    const timer = setInterval(() => setTick(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return { now: tick + offset, setNow: (now) => setOffset(now - (file === undefined ? Date.now() : tick)) }
}

/** Always the newest closure, so that the line is opened once. */
function useStepTaker(
  take: (step: StepMessage) => void,
  address: string | undefined,
  onMoved: () => void,
): (step: StepMessage) => void {
  const timer = useRef(0)
  const now = useRef<(step: StepMessage) => void>(() => undefined)
  now.current = (step) => {
    take(step)
    if (step.address !== address) return
    clearTimeout(timer.current)
    timer.current = window.setTimeout(onMoved, settleMs)
  }
  return useCallback((step: StepMessage) => now.current(step), [])
}
