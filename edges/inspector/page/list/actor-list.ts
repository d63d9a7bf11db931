import { Fragment, h, type ComponentChild } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ActorRow } from '../../readings/answers.ts'
import { standingWords } from '../actor/facts.ts'
import { Filters, NothingMatches } from './filters.ts'
import { age } from '../format.ts'
import { inlineCode } from '../inline-code.ts'
import { moment } from '../moment.ts'
import { OneTabStop } from '../one-tab-stop.ts'
import { longestText } from '../selection.ts'
import { refine, select, useView } from '../view.ts'

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
  /** The page says why elsewhere. */
  readonly isRefused: boolean
  readonly now: number
  /** Changes whenever everything has to be read anew. */
  readonly round: number
  onMore(kind: string): void
}

interface Looked extends ActorListProps {
  readonly selected: string | undefined
}

export function ActorList(given: ActorListProps): ComponentChild {
  const { filter, selection } = useView()
  const props = { ...given, selected: selection.address }
  const { kinds, groups, now, round, selected } = props
  // A key in the search leaves the rows as they are until others come.
  const rows = useMemo(
    () =>
      h(
        OneTabStop,
        { tag: 'div', class: 'scroll', items: 'summary,button' },
        groups === undefined ? h('p', { class: 'empty' }, 'Loading actors…') : listed(groups, props),
      ),
    [groups, given.isRefused, now, selected],
  )
  return h('nav', { class: 'actors pane', 'aria-label': 'Actors' }, [
    h('div', { class: 'search' }, [
      h('input', {
        ...{ name: 'q', type: 'search', placeholder: 'Find by words, id or commit', 'aria-label': 'Find actors' },
        maxLength: longestText,
        value: filter.q,
        onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
          refine({ ...filter, q: currentTarget.value }),
        onKeyDown: onEscape,
      }),
      h(Filters, { kinds, round }),
    ]),
    rows,
  ])
}

/** The first empties the field, the next leaves it. */
function onEscape(event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void {
  if (event.key !== 'Escape' || event.currentTarget.value !== '') return
  document.querySelector<HTMLElement>('.scroll :is(summary,button):not([tabindex="-1"])')?.focus()
}

function listed(groups: readonly Group[], props: Looked): ComponentChild {
  const shown = groups.filter(({ items }) => items.length > 0)
  if (shown.length > 0)
    return h(
      Fragment,
      null,
      shown.map((group) => groupView(group, props)),
    )
  return props.isRefused ? h('p', { class: 'empty' }, 'Nothing was read.') : h(NothingMatches, { kinds: props.kinds })
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
      title: [row.title ?? [], row.address, row.path].flat().join('\n'),
      onClick: () => select({ address: row.address }),
    },
    [
      h('span', { class: 'id' }, row.id),
      h('span', { class: 'age' }, moment(row.updatedAt, age(now - row.updatedAt))),
      row.title === undefined ? null : h('span', { class: 'title' }, inlineCode(row.title)),
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
