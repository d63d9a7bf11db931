import { Fragment, h, type ComponentChild } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ActorRow } from '../answers.ts'
import { standingWords } from './facts.ts'
import { age } from './format.ts'
import { moment } from './moment.ts'
import { OneTabStop } from './one-tab-stop.ts'
import { filterNames, type Filter } from './selection.ts'
import { refine, select, useView } from './view.ts'

export interface Group {
  readonly kind: string
  readonly items: readonly ActorRow[]
  /** With those that are not read yet. */
  readonly total: number
  readonly nextCursor?: string
  readonly isLoading: boolean
}

interface ActorListProps {
  readonly kinds: readonly string[]
  readonly groups: readonly Group[] | undefined
  readonly now: number
  onMore(kind: string): void
}

interface Looked extends ActorListProps {
  readonly filter: Filter
  readonly selected: string | undefined
}

export function ActorList(given: ActorListProps): ComponentChild {
  const { filter, selection } = useView()
  const props = { ...given, filter, selected: selection.address }
  const { groups, now, selected } = props
  const isEmpty = groups?.every(({ items }) => items.length === 0) ?? true
  // A key in the search leaves the rows as they are until others come.
  const rows = useMemo(
    () =>
      h(
        OneTabStop,
        { tag: 'div', class: 'scroll', items: 'summary,button' },
        groups === undefined ? h('p', { class: 'empty' }, 'Loading actors…') : listed(groups, props),
      ),
    [groups, now, selected, isEmpty ? filter : undefined],
  )
  return h('nav', { class: 'actors pane', 'aria-label': 'Actors' }, [
    h('div', { class: 'search' }, [
      input(props, 'q', { type: 'search', placeholder: 'Find by title, id or person', 'aria-label': 'Find actors' }),
      filters(props),
    ]),
    rows,
  ])
}

const minute = 60_000
const rests: readonly (readonly [string, string])[] = [
  ['', 'any time'],
  [`${10 * minute}`, '10 min'],
  [`${60 * minute}`, '1 h'],
  [`${24 * 60 * minute}`, '1 d'],
]

/** What is filtered by beside the search, and its order; folded, for most people search. */
function filters(props: Looked): ComponentChild {
  const { filter, kinds } = props
  const used = filterNames.filter((name) => name !== 'q' && filter[name] !== '')
  const texts = ['project', 'repository', 'person', 'reason', 'state'] as const
  return h('details', { class: 'filters' }, [
    h('summary', null, used.length === 0 ? 'Filters' : `Filters (${used.length})`),
    choice(props, 'kind', 'kind', [['', 'all'], ...kinds.map((kind) => [kind, kind] as const)]),
    texts.map((name) => h('label', null, [h('span', null, name), input(props, name, { type: 'text' })])),
    choice(props, 'rests', 'no step for', rests),
    choice(props, 'sort', 'order', [
      ['', 'by name'],
      ['newest', 'last step first'],
    ]),
    choice(props, 'ended', 'ended', [
      ['', 'shown'],
      ['no', 'left out'],
    ]),
    used.length === 0
      ? null
      : h(
          'button',
          { onClick: () => refine({ ...filter, ...Object.fromEntries(used.map((name) => [name, ''])) }) },
          'Clear',
        ),
  ])
}

function input({ filter }: Looked, name: keyof Filter, attributes: object): ComponentChild {
  return h('input', {
    ...attributes,
    name,
    maxLength: 200,
    value: filter[name],
    onInput: (event: Event) => refine({ ...filter, [name]: (event.target as HTMLInputElement).value }),
  })
}

function choice(
  { filter }: Looked,
  name: keyof Filter,
  label: string,
  choices: readonly (readonly [string, string])[],
): ComponentChild {
  const onChange = (event: Event): void => refine({ ...filter, [name]: (event.target as HTMLSelectElement).value })
  const options = choices.map(([value, text]) => h('option', { value, selected: filter[name] === value }, text))
  return h('label', null, [h('span', null, label), h('select', { name, onChange }, options)])
}

function listed(groups: readonly Group[], props: Looked): ComponentChild {
  const shown = groups.filter(({ items }) => items.length > 0)
  if (shown.length > 0)
    return h(
      Fragment,
      null,
      shown.map((group) => groupView(group, props)),
    )
  const { q, ...others } = props.filter
  if (Object.values(others).some((each) => each !== ''))
    return h('p', { class: 'empty' }, `Nothing matches these filters${q === '' ? '' : ` and “${q}”`}.`)
  const words = q === '' ? 'No actor lives yet. Each shows up here with its first event.' : `Nothing matches “${q}”.`
  return h('p', { class: 'empty' }, words)
}

function groupView({ kind, items, total, nextCursor, isLoading }: Group, props: Looked): ComponentChild {
  return h('details', { open: true, key: kind }, [
    h('summary', null, [kind, h('span', { class: 'count' }, total < 1000 ? `${total}` : '1,000+')]),
    h(
      'ul',
      null,
      items.map((row) => h('li', { key: row.address }, actorButton(row, props))),
    ),
    nextCursor === undefined
      ? null
      : h(
          'button',
          { class: 'more', disabled: isLoading, onClick: () => props.onMore(kind) },
          isLoading ? 'Loading…' : 'More',
        ),
  ])
}

function actorButton(row: ActorRow, { selected, now }: Looked): ComponentChild {
  const isSelected = row.address === selected
  return h(
    'button',
    {
      class: `actor ${row.status}`,
      'aria-current': isSelected ? 'true' : undefined,
      title: `${row.address}\n${row.path}`,
      onClick: () => select({ address: row.address }),
    },
    [
      h('span', { class: 'id' }, row.id),
      h('span', { class: 'age' }, moment(row.updatedAt, age(now - row.updatedAt))),
      row.title === undefined ? null : h('span', { class: 'title' }, row.title),
      h('span', { class: 'path' }, [
        h('span', { class: `words ${row.standing.tone}` }, standingWords(row.standing)),
        `  ${shortPath(row.path)}`,
      ]),
    ],
  )
}

/** Of each region the two innermost states: `active.implementing` says more than `stage.live`. */
export function shortPath(path: string): string {
  return path
    .split(' ')
    .map((leaf) => leaf.split('.').slice(-2).join('.'))
    .join('  ·  ')
}
