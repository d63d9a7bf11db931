/** A Task's page: its life on one time line, and below it what was planned, approved, found, checked, noted and tried. */
import { h, type ComponentChild, type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Lane, Story } from '../../../../machines/why/story.ts'
import type { TaskRecord } from '../../../../machines/why/record.ts'
import type { HistoryRow } from '../../readings/answers.ts'
import type { StoryAnswer } from '../../readings/read-story.ts'
import { readStory } from '../api.ts'
import { effectsOf, toForge } from './facts.ts'
import { ticksOf } from './axis.ts'
import { absence } from '../file.ts'
import { age, clockTime, count, span } from '../format.ts'
import { inlineCode } from '../inline-code.ts'
import { moment } from '../moment.ts'
import { OneTabStop } from '../one-tab-stop.ts'
import type { Selection } from '../selection.ts'
import { storyNow } from './story-now.ts'
import { linkTo, useView } from '../view.ts'

interface StoryProps {
  readonly address: string
  /** The newest step: the story is read anew behind it. */
  readonly seq: number
  /** The one that is looked at, when it is not the newest. */
  readonly step: HistoryRow | undefined
  readonly now: number
}

/** The tracks of all lanes are seen at once: a longer list opens by click. */
const mostOpen = 8

/** Steps come in bursts, and a story is many readings. */
const settleMs = 1500
const refreshMs = 30_000
const unreadable = `The story cannot be read now. The page tries again within ${refreshMs / 1000} seconds.`

export function TaskStory({ address, seq, step, now }: StoryProps): ComponentChild {
  const { is: read, isUnread } = useStory(address, seq)
  const failure = isUnread ? h('p', { class: 'fault', role: 'status' }, unreadable) : null
  if (read === undefined && isUnread) return h('section', { class: 'story', 'aria-label': 'Story' }, failure)
  if (read === undefined) return h('p', { class: 'empty big' }, 'Loading…')
  const { record, effects, why } = read
  const story = storyNow(read.story, now)
  return h('section', { class: 'story', 'aria-label': 'Story' }, [
    failure,
    h('h3', null, inlineCode(record.title)),
    record.links.length === 0 ? null : h('p', null, linked(record.links)),
    h(Times, { story, now }),
    step && step.at < story.from
      ? h('p', { class: 'then', role: 'status' }, `Step ${step.seq} is before this line.`)
      : null,
    story.lanes.map((lane, index) =>
      h(LaneView, {
        ...{ lane, story, now, address, step },
        isOpen: index === 0 && lane.bars.length <= mostOpen,
        key: lane.title,
      }),
    ),
    why === null ? null : h(Why, why),
    h(Record, { record, now }),
    effectsOf(
      effects.map((effect) => ({ ...effect, type: `${effect.type} of ${effect.actor}` })),
      now,
    ),
  ])
}

interface Reading {
  /** The newest that could be read. */
  readonly is: StoryAnswer | undefined
  /** The last attempt failed. */
  readonly isUnread: boolean
}

function useStory(address: string, seq: number): Reading {
  const [answer, setAnswer] = useState<Reading & { readonly of: string }>()
  const [round, setRound] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setRound((each) => each + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    let isCurrent = true
    const keep = (is: StoryAnswer): void => void (isCurrent && setAnswer({ of: address, is, isUnread: false }))
    const fail = (): void => {
      if (isCurrent)
        setAnswer((last) => ({ of: address, is: last?.of === address ? last.is : undefined, isUnread: true }))
    }
    const timer = setTimeout(() => void readStory(address).then(keep, fail), answer?.of === address ? settleMs : 0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [address, seq, round])
  return answer?.of === address ? answer : { is: undefined, isUnread: false }
}

/** How long it took, whom it waited for, and from when that is known. */
function Times({ story, now }: { readonly story: Story; readonly now: number }): ComponentChild {
  const { from, until, cut, waits, lanes } = story
  if (lanes.length === 0) return h('p', { class: 'then' }, `Its steps are ${absence}.`)
  const life = until - from
  // Before its first step it waits for a slot, where the step that asked for it is known.
  const begun = lanes[0]?.bars[0]?.seq === undefined ? ' since it was asked for' : ' since its first step'
  return h('div', { class: 'times' }, [
    cut === null
      ? null
      : h('p', { class: 'then' }, [
          'From ',
          ago(from, now),
          `, step ${cut.step}: ${cut.isKept ? 'earlier steps are too many to be shown here' : `earlier steps are ${absence}`}.`,
        ]),
    h('p', null, [
      h('b', null, span(life)),
      lanes[0]?.bars.at(-1)?.on === 'nobody' ? ' until it ended' : cut === null ? begun : '',
      ', from ',
      moment(from, clockTime(from, now)),
      ' on. It waited for:',
    ]),
    h(
      'ul',
      { class: 'plain shares' },
      waits.map(({ on, ms }) =>
        h('li', { class: toneOf[on], key: on }, [
          h('b', { class: 'words' }, on),
          ` ${took(ms)}${life === 0 ? '' : `, ${Math.round((100 * ms) / life)} %`}`,
        ]),
      ),
    ),
    h(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      h(
        'div',
        null,
        ticksOf(life).map(({ after, label }) =>
          h('span', { style: { left: placeIn(story, from + after) } }, moment(from + after, label)),
        ),
      ),
    ),
  ])
}

const toneOf: Readonly<Record<string, string>> = {
  agent: 'goes',
  person: 'asks',
  operator: 'trouble',
  nobody: 'rests',
  queue: 'waits',
  CI: 'waits',
  forge: 'waits',
  platform: 'waits',
}

function took(milliseconds: number): string {
  return milliseconds > 0 && milliseconds < 1000 ? 'under 1 s' : span(milliseconds)
}

function ago(at: number, now: number): ComponentChild {
  const past = now - at
  return moment(at, past < 1000 ? 'now' : `${age(past)} ago`)
}

interface LaneProps extends Pick<StoryProps, 'address' | 'step' | 'now'> {
  readonly lane: Lane
  readonly story: Story
  readonly isOpen: boolean
}

/** The track is for eyes; the list below it says the same in words, and opens by key. */
function LaneView({ lane: { title, bars }, story, address, step, now, isOpen }: LaneProps): ComponentChild {
  const view = useView()
  // It stays as its reader left it, however long it becomes.
  const [isOpenFirst] = useState(isOpen)
  const shown = bars.findLast((bar) => step && bar.address === address && bar.seq !== undefined && bar.seq <= step.seq)
  return h('details', { class: 'lane', open: isOpenFirst }, [
    h('summary', null, [
      h('span', { class: 'name' }, title),
      h('span', { class: 'track', 'aria-hidden': 'true' }, [
        bars.map((bar) => barView(bar, story)),
        step &&
          step.at >= story.from &&
          h('span', { class: 'step', style: { left: placeIn(story, step.at) }, title: `step ${step.seq}` }),
      ]),
    ]),
    h(
      OneTabStop,
      { tag: 'ol', class: 'plain', items: 'a' },
      bars.map((bar) =>
        h('li', { class: toneIn(bar), 'aria-current': bar === shown ? 'step' : undefined }, [
          barWords(bar, now, (each) => linkTo(each, view)),
          bar === shown ? h('small', null, `, step ${step?.seq} is shown`) : null,
        ]),
      ),
    ),
  ])
}

type Bar = Lane['bars'][number]

/** Green is for work alone, so whom a bar waits for has the colour. */
function toneIn({ on, tone }: Bar): string {
  return on === undefined ? tone : (toneOf[on] ?? tone)
}

function placeIn({ from, until }: Story, at: number): string {
  const share = (at - from) / Math.max(1, until - from)
  return `${100 * Math.min(1, Math.max(0, share))}%`
}

function barView(bar: Bar, story: Story): ComponentChild {
  const left = placeIn(story, bar.from)
  const width = placeIn(story, story.from + bar.until - bar.from)
  const words = wordsOf(bar)
  const title = `${words}: ${took(bar.until - bar.from)}, from ${new Date(bar.from).toLocaleString()}`
  return h('span', { class: `bar ${toneIn(bar)}`, style: { left, width }, title }, [
    h('span', null, bar.sign),
    h('span', null, words),
  ])
}

function wordsOf({ on, word }: Bar): string {
  return on === undefined || on === 'nobody' ? word : `${on}: ${word}`
}

function barWords(bar: Bar, now: number, linkOf: (step: Selection) => string): ComponentChildren {
  const { sign, text, from, until, address, seq } = bar
  const words = h('span', { class: 'words' }, [h('span', { 'aria-hidden': 'true' }, sign), ` ${wordsOf(bar)}`])
  return [
    words,
    ` ${took(until - from)}, `,
    ago(from, now),
    text === undefined || text === bar.word ? null : h('small', null, [' ', inlineCode(text)]),
    address === undefined || seq === undefined
      ? null
      : [' ', h('a', { href: linkOf({ address, seq }) }, `step ${seq}`)],
  ]
}

function Why({ rows, way }: NonNullable<StoryAnswer['why']>): ComponentChild {
  return [
    way === null
      ? null
      : h('div', { class: 'part way' }, [
          h('h3', null, way.title),
          h(
            'ol',
            null,
            way.steps.map(({ by, does, stage }) =>
              h('li', null, [h('b', null, by), ' ', inlineCode(does), ` → ${stage}`]),
            ),
          ),
        ]),
    part(
      'Cost, memory and result',
      rows.length === 0
        ? []
        : [
            h(
              'dl',
              null,
              rows.map(({ name, text, links = [] }) =>
                h('div', null, [
                  h('dt', null, name),
                  h('dd', null, links.length === 0 ? inlineCode(text) : linked(links)),
                ]),
              ),
            ),
          ],
    ),
  ]
}

function linked(links: TaskRecord['links']): ComponentChildren {
  return h(
    'span',
    { class: 'links' },
    links.map(({ text, url }) => toForge(url, text)),
  )
}

function Record({ record, now }: { readonly record: TaskRecord; readonly now: number }): ComponentChild {
  const { plan, approvals, findings, checks, notes, more } = record
  return [
    part('Plan', plan === null ? [] : [noteView(plan, now)]),
    part(
      'Approval',
      approvals.map(({ at, on, what, who, words, plan: cited }) =>
        h('div', { class: 'card' }, [
          h('h4', null, [
            `${on}: ${what}${who === '' ? '' : ` by ${who}`}${cited === '' ? '' : `, for plan ${cited}`} `,
            ago(at, now),
          ]),
          words === '' ? null : h('pre', null, words),
        ]),
      ),
    ),
    part(
      'Findings',
      findings.map(({ at, severity, on, place, body }) =>
        h('div', { class: 'card' }, [
          h('h4', null, [`${severity}: ${[on, place].filter(Boolean).join(' ')} `, ago(at, now)]),
          h('pre', null, body),
        ]),
      ),
      more.findings,
    ),
    part(
      'Checks',
      checks.map(({ at, on, what }) =>
        h('p', { class: 'check' }, [h('b', null, on), ' ', inlineCode(what), ' ', h('small', null, ago(at, now))]),
      ),
    ),
    part(
      'Notes',
      notes.filter((note) => note.at !== plan?.at).map((note) => noteView(note, now)),
      more.notes,
    ),
  ]
}

function noteView({ at, kind, hash = '', by, body }: NonNullable<TaskRecord['plan']>, now: number): ComponentChild {
  return h('div', { class: 'card' }, [
    h('h4', null, [`${[kind, hash].join(' ').trim()} by ${by} `, ago(at, now)]),
    h('pre', null, body === '' ? '(its words are kept in the store)' : body),
  ])
}

function part(title: string, items: readonly ComponentChild[], more = 0): ComponentChild {
  if (items.length === 0) return null
  return h('div', { class: 'part' }, [
    h('h3', null, title),
    items,
    more === 0 ? null : h('p', { class: 'empty' }, `and ${count(more, 'older one')}`),
  ])
}
