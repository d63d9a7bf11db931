import { Fragment, h, type ComponentChild } from 'preact'
import type { ActorRow } from '../answers.ts'
import { standingWords } from './facts.ts'
import { age } from './format.ts'

export interface Group {
  readonly kind: string
  readonly items: readonly ActorRow[]
  readonly nextCursor?: string
  readonly isLoading: boolean
}

interface ActorListProps {
  readonly groups: readonly Group[] | undefined
  readonly query: string
  readonly showEnded: boolean
  readonly selected: string | undefined
  readonly now: number
  onQuery(text: string): void
  onShowEnded(show: boolean): void
  onSelect(address: string): void
  onMore(kind: string): void
}

export function ActorList(props: ActorListProps): ComponentChild {
  const { groups, query, showEnded } = props
  return h('nav', { class: 'actors pane', 'aria-label': 'Actors' }, [
    h('div', { class: 'search' }, [
      h('input', {
        type: 'search',
        placeholder: 'Find by id or state',
        'aria-label': 'Find actors by id or state',
        value: query,
        onInput: (event: Event) => props.onQuery((event.target as HTMLInputElement).value),
      }),
      h('label', null, [
        h('input', {
          type: 'checkbox',
          checked: showEnded,
          onChange: (event: Event) => props.onShowEnded((event.target as HTMLInputElement).checked),
        }),
        ' ended too',
      ]),
    ]),
    h(
      'div',
      { class: 'scroll' },
      groups === undefined ? h('p', { class: 'empty' }, 'Loading actors…') : listed(groups, props),
    ),
  ])
}

function listed(groups: readonly Group[], props: ActorListProps): ComponentChild {
  const shown = groups.filter(({ items, nextCursor }) => items.length > 0 || nextCursor !== undefined)
  if (shown.length > 0)
    return h(
      Fragment,
      null,
      shown.map((group) => groupView(group, props)),
    )
  const words =
    props.query === ''
      ? 'No actor lives yet. Each shows up here with its first event.'
      : `Nothing matches “${props.query}”.`
  return h('p', { class: 'empty' }, words)
}

function groupView({ kind, items, nextCursor, isLoading }: Group, props: ActorListProps): ComponentChild {
  return h('details', { open: true, key: kind }, [
    h('summary', null, [kind, h('span', { class: 'count' }, `${items.length}${nextCursor === undefined ? '' : '+'}`)]),
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

function actorButton(row: ActorRow, { selected, now, onSelect }: ActorListProps): ComponentChild {
  const isSelected = row.address === selected
  return h(
    'button',
    {
      class: `actor ${row.status}`,
      'aria-current': isSelected ? 'true' : undefined,
      title: `${row.address}\n${row.path}`,
      onClick: () => onSelect(row.address),
    },
    [
      h('span', { class: 'id' }, row.id),
      h('span', { class: 'age' }, age(now - row.updatedAt)),
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
