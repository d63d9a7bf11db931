import type { Answer, Call } from './call.ts'

const DEFAULT_PAGE = 30
const MAX_PAGE = 100

export interface Page<T> {
  readonly items: readonly T[]
  readonly headers: Readonly<Record<string, string>>
}

/** Cuts the page that was asked for and says in `Link` where the others are. */
export function pageOf<T>(call: Call, all: readonly T[]): Page<T> {
  const size = Math.min(positive(call.query.per_page, DEFAULT_PAGE), MAX_PAGE)
  const page = positive(call.query.page, 1)
  const last = Math.max(1, Math.ceil(all.length / size))
  const link = (number: number, rel: string): string => `<${pageUrl(call, { page: String(number) })}>; rel="${rel}"`
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ]
  return {
    items: all.slice((page - 1) * size, page * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  }
}

/** A list as most routes answer it. */
export function listAnswer<T>(call: Call, all: readonly T[], show: (item: T) => unknown): Answer {
  const page = pageOf(call, all)
  return { body: page.items.map(show), headers: page.headers }
}

/** A list wrapped in an object with its total. */
export function countedAnswer<T>(call: Call, all: readonly T[], name: string, show: (item: T) => unknown): Answer {
  const page = pageOf(call, all)
  return { body: { total_count: all.length, [name]: page.items.map(show) }, headers: page.headers }
}

/** Deliveries page by cursor, newest first: a page stays the same while new ones arrive. */
export function cursorAnswer<T extends { readonly id: number }>(
  call: Call,
  newestFirst: readonly T[],
  show: (item: T) => unknown,
): Answer {
  const size = Math.min(positive(call.query.per_page, DEFAULT_PAGE), MAX_PAGE)
  const cursor = positive(call.query.cursor, Infinity)
  const rest = newestFirst.filter((item) => item.id <= cursor)
  const next = rest[size]
  return {
    body: rest.slice(0, size).map(show),
    headers: next ? { link: `<${pageUrl(call, { cursor: String(next.id) })}>; rel="next"` } : {},
  }
}

function pageUrl(call: Call, change: Readonly<Record<string, string>>): string {
  const url = new URL(call.url, call.links.web)
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value)
  return url.href
}

function positive(text: string | undefined, fallback: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value > 0 ? value : fallback
}
