import { h, type ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { HistoryRow } from '../../readings/answers.ts'
import { shortPath } from '../list/actor-list.ts'
import { eventWords } from './event-words.ts'
import { absence } from '../file.ts'
import { clockTime } from '../format.ts'
import { moment } from '../moment.ts'
import { OneTabStop } from '../one-tab-stop.ts'

interface HistoryProps {
  /** Newest first. */
  readonly rows: readonly HistoryRow[] | undefined
  /** The newest step, whether its row is there or not. */
  readonly last: number
  /** Absent: the newest. */
  readonly shown: number | undefined
  /** Absent: there are none. */
  readonly newer: (() => void) | undefined
  readonly older: (() => void) | undefined
  /** The part of the page that is open: on a narrow screen this may be another. */
  readonly view: string
  readonly now: number
  onShow(seq: number | undefined): void
}

export function History({ rows, last, shown, newer, older, view, now, onShow }: HistoryProps): ComponentChild {
  const frame = useRef<HTMLElement>(null)
  const newest = newer === undefined ? rows?.[0]?.seq : undefined
  const oldest = rows?.at(-1)?.seq ?? last + 1
  const isEmpty = rows?.length === 0
  useEffect(
    () => frame.current?.querySelector('.shown')?.scrollIntoView({ block: 'nearest' }),
    [shown, newest === undefined, view],
  )
  /** Keys go on where the rows that were read end. */
  const onArrival = (button: HTMLElement): void => {
    button.click()
    const seq = Number(button.textContent)
    if (seq === rows?.[0]?.seq) newer?.()
    if (seq === oldest) older?.()
  }
  return h('section', { class: 'history', 'aria-label': 'History', ref: frame }, [
    h('h3', null, 'History'),
    newer === undefined ? null : h('button', { class: 'more', onClick: newer }, 'Newer'),
    rows === undefined
      ? h('p', { class: 'empty' }, 'Loading history…')
      : isEmpty
        ? null
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
              { tag: 'tbody', items: 'button', onArrival },
              rows.map((row, index) =>
                rowView(row, {
                  isShown: row.seq === (shown ?? newest),
                  isNewest: row.seq === newest,
                  hasMoved: row.path !== rows[index + 1]?.path,
                  now,
                  onShow,
                }),
              ),
            ),
          ]),
    older !== undefined
      ? h('button', { class: 'more', onClick: older }, 'Earlier')
      : rows !== undefined && oldest > 1
        ? h('p', { class: 'empty' }, `${isEmpty ? 'Its' : 'Earlier'} steps are ${absence}.`)
        : null,
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
  const about = eventWords(row)
  const choose = (): void => onShow(isNewest ? undefined : row.seq)
  const classes = [isShown && 'shown', !row.handled && 'ignored', row.fault !== undefined && 'failed']
    .filter(Boolean)
    .join(' ')
  return h('tr', { key: row.seq, class: classes, 'aria-selected': isShown, onClick: choose }, [
    h('td', null, h('button', { 'aria-label': `Show step ${row.seq}`, 'aria-current': isShown }, row.seq)),
    h('td', null, moment(row.at, clockTime(row.at, now).replace(' ', '\n'))),
    h('td', { title: row.path }, [
      h(
        'span',
        { class: 'event' },
        breakable(row.type.startsWith('xstate.after.') ? `after ${row.type.split('.')[2]}` : row.type),
      ),
      about === '' ? null : h('span', { class: 'about' }, breakable(about)),
      row.handled ? null : h('span', { class: 'path' }, 'no state took it'),
      row.fault === undefined ? null : h('span', { class: 'path' }, 'the step failed'),
      hasMoved ? h('span', { class: 'path' }, breakable(shortPath(row.path))) : null,
    ]),
    h(
      'td',
      { title: row.effects.map(nameOf).join('\n') },
      // A name that is as wide as its place would leave the comma to the next line.
      breakable(effectNames(row), /(?<=[./])|\B(?=[A-Z])/),
    ),
  ])
}

/** Names may break behind their dots and slashes; nothing of it is copied with them. */
function breakable(text: string, at = /(?<=[./])/): ComponentChild {
  return text.split(at).flatMap((part, index) => (index === 0 ? [part] : [h('wbr', null), part]))
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
