import { h, type ComponentChild } from 'preact'
import type { HistoryRow } from '../answers.ts'
import { shortPath } from './actor-list.ts'
import { clockTime } from './format.ts'

export interface HistoryProps {
  /** Newest first. */
  readonly rows: readonly HistoryRow[] | undefined
  readonly shown: number | undefined
  readonly hasMore: boolean
  readonly now: number
  onShow(seq: number | undefined): void
  onMore(): void
}

export function History({ rows, shown, hasMore, now, onShow, onMore }: HistoryProps): ComponentChild {
  return h('section', { class: 'history', 'aria-label': 'History' }, [
    h('h4', null, 'History'),
    rows === undefined
      ? h('p', { class: 'empty' }, 'Loading history…')
      : h('table', null, [
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['#', 'time', 'event', 'effects', 'then in'].map((head) => h('th', { scope: 'col' }, head)),
            ),
          ),
          h(
            'tbody',
            null,
            rows.map((row, index) =>
              rowView(row, { isShown: row.seq === (shown ?? rows[0]?.seq), isNewest: index === 0, now, onShow }),
            ),
          ),
        ]),
    hasMore ? h('button', { class: 'more', onClick: onMore }, 'Earlier') : null,
  ])
}

interface RowLook {
  readonly isShown: boolean
  readonly isNewest: boolean
  readonly now: number
  onShow(seq: number | undefined): void
}

function rowView(row: HistoryRow, { isShown, isNewest, now, onShow }: RowLook): ComponentChild {
  const choose = (): void => onShow(isNewest ? undefined : row.seq)
  const classes = [isShown && 'shown', !row.handled && 'ignored', row.fault !== undefined && 'failed']
    .filter(Boolean)
    .join(' ')
  return h('tr', { key: row.seq, class: classes, 'aria-selected': isShown, onClick: choose }, [
    h('td', null, h('button', { 'aria-label': `Show step ${row.seq}`, onKeyDown: step }, row.seq)),
    h('td', null, clockTime(row.at, now)),
    h('td', { class: 'event' }, row.type.startsWith('xstate.after.') ? `after ${row.type.split('.')[2]}` : row.type),
    h('td', { title: row.effects.map(nameOf).join('\n') }, row.effects.length === 0 ? '' : effectNames(row)),
    h('td', { class: 'path', title: row.path }, shortPath(row.path)),
  ])
}

function effectNames({ effects }: HistoryRow): string {
  const names = effects.map(nameOf)
  return names.length <= 2 ? names.join(', ') : `${names[0]}, ${names.length - 1} more`
}

/** An event for another actor is named by the event. */
function nameOf({ type, params }: HistoryRow['effects'][number]): string {
  const { event } = params as { readonly event?: { readonly type?: string } }
  return type === 'deliver' && event?.type !== undefined ? `→ ${event.type}` : type
}

/** Up and down go through the steps, as in any list. */
function step(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const row = (event.target as Element).closest('tr')
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling
  const button = next?.querySelector('button')
  event.preventDefault()
  button?.focus()
  button?.click()
}
