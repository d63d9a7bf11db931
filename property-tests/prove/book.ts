/** What was spent, reserved and added, kept from the ledger's mail alone: its own sums are what is judged by it. */
import type { SpendingLimits } from '../../machines/ledger/events.ts'
import { dayOf } from '../../machines/rules/spending.ts'
import { sentIn, type Stepped } from '../machines/world/trace.ts'

interface Sum {
  readonly spent: number
  readonly raised: number
}

export interface Book {
  readonly limits: SpendingLimits | null
  readonly day: number
  readonly today: Sum
  readonly total: Sum
  readonly tasks: Readonly<Record<string, Sum>>
  /** By the turn's address. */
  readonly reserved: Readonly<Record<string, { readonly task: string; readonly tokens: number }>>
  /** Turns that asked and have no answer. */
  readonly asked: Readonly<Record<string, string>>
}

const nothing: Sum = { spent: 0, raised: 0 }

export const emptyBook: Book = {
  limits: null,
  day: 0,
  today: nothing,
  total: nothing,
  tasks: {},
  reserved: {},
  asked: {},
}

function plus({ spent, raised }: Sum, more: Partial<Sum>): Sum {
  return { spent: spent + (more.spent ?? 0), raised: raised + (more.raised ?? 0) }
}

function add(book: Book, task: string, more: Partial<Sum>): Book {
  return {
    ...book,
    today: plus(book.today, more),
    total: plus(book.total, more),
    tasks: { ...book.tasks, [task]: plus(book.tasks[task] ?? nothing, more) },
  }
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  const { [key]: _gone, ...rest } = record
  return rest
}

export function keepBook(book: Book, step: Stepped): Book {
  const day = dayOf(step.event.at)
  const now = day > book.day ? { ...book, day, today: nothing } : book
  return answered(heard(now, step), step)
}

function heard(book: Book, step: Stepped): Book {
  const { event } = step
  const turn = `turn:${String(event['turn'])}`
  const task = String(event['task'])
  switch (event.type) {
    case 'ledger.configured':
      return { ...book, limits: event['limits'] as SpendingLimits }
    case 'reservation.asked':
      return turn in book.reserved ? book : { ...book, asked: { ...book.asked, [turn]: task } }
    case 'reservation.settled':
      return settled(book, turn, event['tokens'] as number | null)
    case 'raise.asked':
      return sentIn(step).some(({ event: { type } }) => type === 'budget.raised')
        ? add(book, task, { raised: Number(event['amount']) })
        : book
    case 'task.settled':
      return { ...book, tasks: without(book.tasks, task) }
    default:
      return book
  }
}

function settled(book: Book, turn: string, tokens: number | null): Book {
  const mine = book.reserved[turn]
  const left = { ...book, asked: without(book.asked, turn), reserved: without(book.reserved, turn) }
  return mine ? add(left, mine.task, { spent: tokens ?? mine.tokens }) : left
}

function answered(book: Book, step: Stepped): Book {
  let { asked, reserved } = book
  for (const { to, event } of sentIn(step)) {
    const task = asked[to]
    if (task === undefined || !event.type.startsWith('reservation.')) continue
    asked = without(asked, to)
    if (event.type === 'reservation.granted')
      reserved = { ...reserved, [to]: { task, tokens: book.limits?.tokensPerTurn ?? 1 } }
  }
  return asked === book.asked ? book : { ...book, asked, reserved }
}

/** The limits that the book is beyond, by name. */
export function overspent({ limits, reserved, today, total, tasks }: Book, task: string): readonly string[] {
  if (!limits) return []
  const all = Object.values(reserved)
  const sum = (list: readonly { readonly tokens: number }[]): number => list.reduce((so, { tokens }) => so + tokens, 0)
  const isOver = (limit: number, { spent, raised }: Sum, held: number): boolean =>
    limit > 0 && spent + held > limit + raised
  return [
    ...(isOver(limits.tokensPerTask, tasks[task] ?? nothing, sum(all.filter((one) => one.task === task)))
      ? ['task']
      : []),
    ...(isOver(limits.tokensPerDay, today, sum(all)) ? ['day'] : []),
    ...(isOver(limits.tokensPerProject, total, sum(all)) ? ['project'] : []),
  ]
}
