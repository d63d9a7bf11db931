/** What the page opens on: the Tasks by who can move them, and what holds the Projects. */
import { h, type ComponentChild } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Board, Card } from '../../../../machines/why/board.ts'
import { costLine } from '../../../../machines/why/cost.ts'
import { readBoard } from '../api.ts'
import { toForge } from '../actor/facts.ts'
import { file } from '../file.ts'
import { filterWords } from './filters.ts'
import { age, count, span } from '../format.ts'
import { inlineCode } from '../inline-code.ts'
import { moment } from '../moment.ts'
import { OneTabStop } from '../one-tab-stop.ts'
import { boardFilterNames, longestText, type Filter } from '../selection.ts'
import { linkTo, refine, useView } from '../view.ts'

interface HomeProps {
  /** Counts the steps that were heard: the board is read after them. */
  readonly steps: number
  readonly now: number
  /** The page says why elsewhere. */
  readonly isRefused: boolean
  onError(error: unknown): void
}

/** Steps come in bursts, and a reading is shared by all pages. */
const settleMs = 1000
const refreshMs = 30_000
/** A reading that takes long is shared for long: so old is what then arrives. */
const agedMs = 5000
/** As long as the list waits for the next key, and a little: the list comes first. */
const typedMs = 250
const meKey = 'statewright.me'

/** As the identity provider named who signed in: nobody types it. */
const { me: login } = document.body.dataset

export function Home({ steps, now, isRefused, onError }: HomeProps): ComponentChild {
  const [me, setMe] = useState(() => login ?? localStorage.getItem(meKey) ?? '')
  const { filter } = useView()
  const used = boardFilterNames.filter((name) => filter[name] !== '')
  const { board, isAged } = useBoard(me.trim(), filter, { steps, now }, onError)
  const choose = (name: string): void => {
    localStorage.setItem(meKey, name)
    setMe(name)
  }
  if (board === undefined || isRefused) {
    const words = isRefused ? 'Nothing was read.' : 'Loading…'
    return h('div', { class: 'home pane', id: 'view', tabIndex: -1 }, h('p', { class: 'empty big' }, words))
  }
  const { waiting, working, queued, ended, endedSince } = board
  // Of very many only the newest are looked at.
  const within = endedSince === undefined ? 'today' : `within ${age(now - endedSince)}`
  const isMine = me.trim() !== ''
  const shown = { now, isScripted: board.isScripted === true }
  const emptyOf = (words: string): string => (used.length === 0 ? words : 'Nothing matches.')
  return h('div', { class: 'home pane', id: 'view', tabIndex: -1 }, [
    h(Strip, { board, now }),
    isAged ? h('p', { class: 'empty' }, ['As it was ', moment(board.now, `${age(now - board.now)} ago`), '.']) : null,
    used.length === 0
      ? null
      : h('p', { class: 'filtered', role: 'status' }, [
          `Only what matches ${used.map((name) => filterWords(filter, name)).join(' and ')}. `,
          h('button', { onClick: () => refine({ ...filter, ...noBoardFilter }) }, 'Show all'),
        ]),
    login === undefined
      ? h('label', { class: 'me' }, [
          'Waits for me: ',
          h('input', {
            value: me,
            maxLength: longestText,
            placeholder: 'your login on the forge',
            autocapitalize: 'none',
            spellcheck: false,
            onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => choose(currentTarget.value),
          }),
        ])
      : h('label', { class: 'me' }, [
          h('input', { type: 'checkbox', checked: isMine, onChange: () => setMe(isMine ? '' : login) }),
          ` Only what waits for ${login}`,
        ]),
    isUnused(board) && used.length === 0 && document.body.dataset['file'] === undefined
      ? h(FirstSteps, { hasProject: board.projects.length > 0 })
      : h(OneTabStop, { tag: 'div', class: 'columns', items: '.task', columns: '.column' }, [
          h(Column, {
            title: isMine ? `Waits for ${me.trim()}` : 'Waits for people',
            column: waiting,
            empty: emptyOf('Nothing waits.'),
            ...shown,
            isAsking: true,
          }),
          h(Column, { title: 'Working', column: working, empty: emptyOf('No agent works.'), ...shown }),
          h(Column, { title: 'Queued', column: queued, empty: emptyOf('Nothing is queued.'), ...shown }),
          h(Column, {
            title: `Ended ${within}`,
            column: ended,
            empty: emptyOf('Nothing ended within a day.'),
            ...shown,
          }),
        ]),
  ])
}

interface Reading {
  readonly board?: Board
  /** It was old when it arrived. */
  readonly isAged?: boolean
}

const noBoardFilter = Object.fromEntries(boardFilterNames.map((name) => [name, '']))

/**
 * Read anew soon after each step, however many come, and in a while without one; at once when nobody types any more. A reading
 * that other pages share may be of before the step, or before this page: it is asked for again, less and less often.
 */
function useBoard(
  me: string,
  filter: Filter,
  { steps, now }: Pick<HomeProps, 'steps' | 'now'>,
  onError: (error: unknown) => void,
): Reading {
  const [read, setRead] = useState<Reading>({})
  const wanted = boardFilterNames.reduce((all, name) => ({ ...all, [name]: filter[name] }), { me })
  const key = Object.values(wanted).join('\n')
  const latest = useRef({ key, wanted, now })
  latest.current = { key, wanted, now }
  const timer = useRef<number | undefined>(undefined)
  // The time of the page goes on once a second.
  const latestNow = now + 1000
  const behind = useRef({ heardAt: latestNow, times: 0 })
  const isLeft = useRef(false)
  const readNow = (): void => {
    timer.current = undefined
    const asked = latest.current
    readBoard(asked.wanted).then((answer) => {
      if (isLeft.current || asked.key !== latest.current.key) return
      setRead({ board: answer, isAged: file === undefined && latest.current.now - answer.now >= agedMs })
      const { heardAt, times } = behind.current
      const isBehind = answer.now <= heardAt
      behind.current.times = isBehind ? times + 1 : 0
      if (isBehind) timer.current ??= window.setTimeout(readNow, Math.min(settleMs * 2 ** times, refreshMs))
    }, onError)
  }
  const readSoon = (): void => void (timer.current ??= window.setTimeout(readNow, settleMs))
  useEffect(() => {
    if (read.board === undefined) return readNow()
    clearTimeout(timer.current)
    timer.current = window.setTimeout(readNow, typedMs)
  }, [key])
  useEffect(() => {
    if (steps === 0) return
    behind.current.heardAt = latestNow
    readSoon()
  }, [steps])
  useEffect(() => {
    const beat = setInterval(readSoon, refreshMs)
    return () => {
      isLeft.current = true
      clearInterval(beat)
      clearTimeout(timer.current)
    }
  }, [])
  return read
}

/** Nothing was asked of it today, and nothing is asked now. */
function isUnused({ waiting, working, queued, ended }: Board): boolean {
  return [waiting, working, queued, ended].every(({ cards, more }) => cards.length + more === 0)
}

function FirstSteps({ hasProject }: { readonly hasProject: boolean }): ComponentChild {
  const apply = ['statewright apply -f project.yaml', 'a Project, its Repository and their Secret'] as const
  const ready = ['statewright get projects', 'whether it is ready, and what it lacks'] as const
  const place = [
    'statewright get repositories',
    'where to open an issue: one with the trigger label starts a Task',
  ] as const
  const waiting = ['statewright waiting', 'what waits for you, once an issue has the trigger label'] as const
  const steps = hasProject ? [ready, place, waiting] : [apply, ready, waiting]
  return h('div', { class: 'first' }, [
    h('h2', null, hasProject ? 'No Task today, and none waits' : 'There is no Project yet'),
    h(
      'ol',
      null,
      steps.map(([command, what]) => h('li', null, [h('code', null, command), ` ${what}`])),
    ),
  ])
}

/** More than these would hide the Tasks. */
const mostProjects = 12

/** What keeps all Tasks of a Project, where something does; else its slots and limits. */
function Strip({ board, now }: { readonly board: Board; readonly now: number }): ComponentChild {
  const { withheld } = board
  const view = useView()
  const [held, free] = [true, false].map((isHeld) =>
    board.projects.filter(({ fault, hold }) => (Boolean(fault) || hold !== '') === isHeld),
  )
  const shown = [...(held ?? []), ...(free ?? [])].slice(0, mostProjects)
  const more = board.projects.length - shown.length
  return h(OneTabStop, { tag: 'ul', class: 'strip', items: 'a' }, [
    withheld === null
      ? null
      : h('li', { class: 'bad' }, [
          h('b', null, '⚠ The model is withheld from the key'),
          ' ',
          inlineCode(withheld.message),
          '; tried again ',
          moment(withheld.until, withheld.until > now ? `in ${span(withheld.until - now)}` : 'now'),
        ]),
    shown.map(({ project, fault, hold, slots, used, budgets }) =>
      h('li', { class: fault ? 'bad' : hold === '' ? '' : 'held', key: project }, [
        h('a', { href: linkTo({ address: `project:${project}` }, view) }, project),
        inlineCode(fault ? ` ⚠ not ready: ${fault.reason}: ${fault.message}` : hold === '' ? '' : ` ⏸ ${hold}`),
        ` ${used} of ${count(slots, 'slot')} used`,
        budgets.map(({ name, limit, spent }) => `; ${name}: ${tokens(spent)} of ${tokens(limit)} tokens`),
      ]),
    ),
    more === 0 ? null : h('li', null, `and ${count(more, 'Project')} more, in the list`),
  ])
}

interface ColumnProps {
  readonly title: string
  readonly column: Board['waiting']
  readonly empty: string
  readonly now: number
  readonly isScripted: boolean
  /** Of people: each card shows what to do. */
  readonly isAsking?: boolean
}

function Column({
  title,
  column: { cards, more },
  empty,
  now,
  isScripted,
  isAsking = false,
}: ColumnProps): ComponentChild {
  return h('section', { class: `column${isAsking ? ' asking' : ''}` }, [
    h('h2', null, [title, ' ', h('span', { class: 'number' }, cards.length + more)]),
    cards.length === 0 ? h('p', { class: 'empty' }, empty) : null,
    cards.map((card) => h(TaskCard, { card, now, isScripted, asks: isAsking, key: card.task })),
    more === 0 ? null : h('p', { class: 'empty' }, `and ${more} more`),
  ])
}

function TaskCard({
  card,
  now,
  isScripted,
  asks,
}: {
  readonly card: Card
  readonly now: number
  readonly isScripted: boolean
  readonly asks: boolean
}): ComponentChild {
  const { task, title, stage, since, owner, people, why, next, detail, thread, queue } = card
  const view = useView()
  const { address = `task:${task}` } = card
  const isOver = owner === ''
  return h('article', { class: 'task', tabIndex: -1, 'aria-labelledby': `title-${task}` }, [
    h(
      'h3',
      { id: `title-${task}` },
      h(
        'a',
        { href: linkTo({ address, ...(address.startsWith('task:') ? { view: 'story' } : {}) }, view), title },
        inlineCode(title || task),
      ),
    ),
    h('p', { class: 'where' }, [
      thread === null ? null : [toForge(thread.url, thread.name), ' · '],
      stage,
      ' · ',
      moment(since, age(now - since)),
    ]),
    isOver
      ? null
      : h('p', null, [
          h('b', null, whoOf(owner, people)),
          ': ',
          inlineCode(queue === null ? why : `place ${queue.position}, ${queue.reason}`),
        ]),
    detail === '' ? null : h('p', { class: 'detail' }, inlineCode(detail)),
    asks
      ? h('p', { class: 'next' }, ['→ ', thread === null ? inlineCode(next) : toForge(thread.url, inlineCode(next))])
      : null,
    card.turns === 0 ? null : h('p', { class: 'cost' }, costLine(card, isScripted)),
  ])
}

const mostNames = 3

function whoOf(owner: string, maintainers: readonly string[]): string {
  const people = owner === 'operator' ? [owner, ...maintainers] : maintainers
  if (people.length === 0) return owner
  const more = people.length - mostNames
  return `${people.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function tokens(number: number): string {
  return number.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 })
}
