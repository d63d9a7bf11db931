import { h, type ComponentChild } from 'preact'
import type { HistoryRow } from '../answers.ts'
import { shortPath } from './actor-list.ts'
import { clockTime } from './format.ts'
import { moment } from './moment.ts'
import { OneTabStop } from './one-tab-stop.ts'

interface HistoryProps {
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
    h('h3', null, 'History'),
    rows === undefined
      ? h('p', { class: 'empty' }, 'Loading history…')
      : h('table', null, [
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['#', 'time', 'event, then in', 'effects'].map((head) => h('th', { scope: 'col' }, head)),
            ),
          ),
          h(
            OneTabStop,
            { tag: 'tbody', items: 'button', onArrival: (button) => button.click() },
            rows.map((row, index) =>
              rowView(row, {
                isShown: row.seq === (shown ?? rows[0]?.seq),
                isNewest: index === 0,
                hasMoved: row.path !== rows[index + 1]?.path,
                now,
                onShow,
              }),
            ),
          ),
        ]),
    hasMore ? h('button', { class: 'more', onClick: onMore }, 'Earlier') : null,
  ])
}

interface RowLook {
  readonly isShown: boolean
  readonly isNewest: boolean
  /** It stands elsewhere than before: only then the place is worth a line. */
  readonly hasMoved: boolean
  readonly now: number
  onShow(seq: number | undefined): void
}

function rowView(row: HistoryRow, { isShown, isNewest, hasMoved, now, onShow }: RowLook): ComponentChild {
  const choose = (): void => onShow(isNewest ? undefined : row.seq)
  const classes = [isShown && 'shown', !row.handled && 'ignored', row.fault !== undefined && 'failed']
    .filter(Boolean)
    .join(' ')
  return h('tr', { key: row.seq, class: classes, 'aria-selected': isShown, onClick: choose }, [
    h('td', null, h('button', { 'aria-label': `Show step ${row.seq}` }, row.seq)),
    h('td', null, moment(row.at, clockTime(row.at, now))),
    h('td', { title: row.path }, [
      h(
        'span',
        { class: 'event' },
        breakable(row.type.startsWith('xstate.after.') ? `after ${row.type.split('.')[2]}` : row.type),
      ),
      hasMoved ? h('span', { class: 'path' }, breakable(shortPath(row.path))) : null,
    ]),
    h('td', { title: row.effects.map(nameOf).join('\n') }, breakable(effectNames(row))),
  ])
}

/** Dotted names may break behind their dots. */
function breakable(text: string): string {
  return text.replaceAll('.', '.\u200b')
}

function effectNames({ effects }: HistoryRow): string {
  const names = effects.map(nameOf)
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')}, ${names.length - 2} more`
}

/** An event for another actor is named by the event. */
function nameOf({ type, params }: HistoryRow['effects'][number]): string {
  const { event } = params as { readonly event?: { readonly type?: string } }
  return type === 'deliver' && event?.type !== undefined ? `→ ${event.type}` : type
}
