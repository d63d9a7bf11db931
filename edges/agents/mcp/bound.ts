/**
 * Answers that the CLI passes to the model whole (TOOLS-23). A longer one the CLI puts into a file and shows 2 kB of it,
 * so a longer one is cut here, and each cut says how to read on.
 */
import { mostAnswerCharacters } from '../../../wrapper/tools/port.ts'

/** For what a cut says of itself. */
const wordsOfACut = 400

export interface BoundOptions {
  /** Which items stay where not all fit: a thread is asked for by its newest. */
  readonly keep: 'first' | 'last'
  /** A list with a cursor goes on where a smaller one ends. */
  readonly hasCursor: boolean
  /** The call that reads on in a long text, from this character of what the answer has of it; absent: there is none. */
  readonly readOn?: (at: number) => string
}

type Data = Readonly<Record<string, unknown>>

/** `before`: what is said of the text, in few words. */
export function boundText(text: string, from: number, before = ''): string {
  const rest = text.slice(from)
  if (from > 0 && rest === '') return `${before}[the text has ${text.length} characters, and none from ${from} on]`
  if (before.length + rest.length <= mostAnswerCharacters) return `${before}${rest}`
  const end = from + wholeCharacters(rest, mostAnswerCharacters - wordsOfACut)
  return `${before}${text.slice(from, end)}\n[cut: characters ${from} to ${end} of ${text.length}; call again with offset=${end} to read on]`
}

export function boundData(data: Data, options: BoundOptions): Data {
  const few = lengthOf(data) <= mostAnswerCharacters ? data : withFewerItems(data, options)
  return lengthOf(few) <= mostAnswerCharacters ? few : withShorterTexts(few, options)
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length
}

/** The longest list gives up items until one is left, and the list after it. */
function withFewerItems(data: Data, options: BoundOptions): Data {
  const lists = Object.entries(data)
    .flatMap(([name, value]) => (Array.isArray(value) && value.length > 1 ? [{ name, items: value as unknown[] }] : []))
    .toSorted((a, b) => lengthOf(b.items) - lengthOf(a.items))
  return lists.reduce<Data>((left, { name, items }) => {
    const excess = lengthOf(left) + wordsOfACut - mostAnswerCharacters
    if (excess <= 0) return left
    const kept = fitting(items, lengthOf(items) - excess, options.keep)
    // The memory service spells its cursor in snake_case.
    const { nextCursor: _nextCursor, next_cursor: _next, ...rest } = left
    const cut = [
      ...((left['cut'] as readonly string[] | undefined) ?? []),
      cutNote(name, kept.length, items.length, options),
    ]
    return { ...rest, [name]: kept, cut }
  }, data)
}

function cutNote(name: string, kept: number, all: number, { keep, hasCursor }: BoundOptions): string {
  const shown = `the ${keep} ${kept} of ${all} ${name}`
  return hasCursor
    ? `${shown}: call again with limit=${kept}, then go on with its nextCursor`
    : `${shown}: ask a narrower question for the others`
}

/** As many as fit, one at least. */
function fitting(items: readonly unknown[], most: number, keep: BoundOptions['keep']): readonly unknown[] {
  const inOrder = keep === 'first' ? items : items.toReversed()
  let left = most
  const end = inOrder.findIndex((item) => (left -= lengthOf(item) + 1) < 0)
  const kept = inOrder.slice(0, Math.max(1, end === -1 ? items.length : end))
  return keep === 'first' ? kept : kept.toReversed()
}

/** The longest text gives way until all fits; what has no long text is a list of small things in one item. */
function withShorterTexts(data: Data, { readOn }: BoundOptions): Data {
  const longest = longestText(data)
  const cutMark = (end: number): string =>
    `[cut: ${end} of ${longest.length} characters${readOn === undefined ? '' : `; ${readOn(end)} to read on`}]`
  const cutAt = (end: number): Data =>
    replaceText(
      data,
      longest,
      `${longest.slice(0, wholeCharacters(longest, end))}\n${cutMark(wholeCharacters(longest, end))}`,
    ) as Data
  let [fits, tooLong] = [0, longest.length]
  if (lengthOf(cutAt(fits)) > mostAnswerCharacters) return { cut: ['the answer is too large: ask a narrower question'] }
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (lengthOf(cutAt(middle)) <= mostAnswerCharacters) fits = middle
    else tooLong = middle
  }
  return cutAt(fits)
}

function longestText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value)
    .map(longestText)
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

function replaceText(value: unknown, from: string, to: string): unknown {
  if (value === from) return to
  if (Array.isArray(value)) return value.map((each) => replaceText(each, from, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceText(each, from, to)]))
}

function wholeCharacters(text: string, end: number): number {
  const isHalf = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[end] ?? '')
  return isHalf ? end - 1 : end
}
