import type { Answer, Call } from './call.ts'

const DEFAULT_PAGE = 20
const MAX_PAGE = 100

/** Cuts the page that was asked for; headers count the pages and `Link` holds where the others are. */
export function listAnswer<T>(call: Call, all: readonly T[], show: (item: T) => unknown): Answer {
  const size = Math.min(positive(call.query.per_page, DEFAULT_PAGE), MAX_PAGE)
  const page = positive(call.query.page, 1)
  const last = Math.max(1, Math.ceil(all.length / size))
  const link = (number: number, rel: string): string => `<${pageUrl(call, number, size)}>; rel="${rel}"`
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next')] : []),
    link(1, 'first'),
    link(last, 'last'),
  ]
  return {
    body: all.slice((page - 1) * size, page * size).map(show),
    headers: {
      'x-page': String(page),
      'x-next-page': page < last ? String(page + 1) : '',
      'x-prev-page': page > 1 ? String(page - 1) : '',
      'x-per-page': String(size),
      'x-total': String(all.length),
      'x-total-pages': String(last),
      link: links.join(', '),
    },
  }
}

function pageUrl(call: Call, page: number, size: number): string {
  const url = new URL(call.url, call.links.web)
  url.searchParams.set('page', String(page))
  url.searchParams.set('per_page', String(size))
  return url.href
}

function positive(text: string | undefined, fallback: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value > 0 ? value : fallback
}

/** By the asked member, the newest first unless asked otherwise; the older of two equal ones comes first in ascending order. */
export function ordered<T>(
  call: Call,
  all: readonly T[],
  by: Readonly<Record<string, (item: T) => string | number>>,
): T[] {
  const key = by[call.query.order_by ?? ''] ?? Object.values(by)[0]
  if (!key) return [...all]
  const ascending = all.toSorted((one, other) => compare(key(one), key(other)))
  return call.query.sort === 'asc' ? ascending : ascending.toReversed()
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** For `updated_after` and its like: true without the parameter, and for one that is no time. */
export function isAfter(at: string, bound: string | undefined): boolean {
  const from = Date.parse(bound ?? '')
  return Number.isNaN(from) || Date.parse(at) >= from
}
