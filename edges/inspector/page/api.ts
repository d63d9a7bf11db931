import type { ActorAnswer, ActorsAnswer, ChoicesAnswer, HistoryRow, KindsAnswer } from '../readings/answers.ts'
import type { Board, BoardFilter } from '../../../machines/why/board.ts'
import type { Chart } from '../charts/chart.ts'
import type { Filter } from './selection.ts'
import type { StoryAnswer } from '../readings/read-story.ts'

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

/** An answer that is no answer: `status` 0 where none came. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Query = Readonly<Record<string, string | number | undefined>>

async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  )
  const url = `/inspector/api/${path}?${new URLSearchParams(given)}`
  const answer = await fetch(url, signal && { signal }).catch((error: unknown) => {
    throw new ApiError(0, String(error))
  })
  if (!answer.ok) throw new ApiError(answer.status, wordsOf(await answer.text()))
  return (await answer.json()) as T
}

/** Of a problem its own words (RFC 9457). */
function wordsOf(body: string): string {
  try {
    const problem: { readonly detail?: string; readonly title?: string } = JSON.parse(body)
    return problem.detail ?? problem.title ?? ''
  } catch {
    return ''
  }
}

/** Asked once more, the server refuses it once more. Undefined: it may be away, or the session over. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || ![400, 414, 431].includes(error.status)) return undefined
  return `The server refuses what is asked for: ${error.message || `status ${error.status}`}.`
}

export function readKinds(): Promise<KindsAnswer> {
  return get('kinds')
}

export function readBoard(wanted: BoardFilter): Promise<Board> {
  return get('board', wanted)
}

/** Of each kind, where all are listed: each row is an actor that the server restores and a browser draws, at each key. */
const firstRows = 10

export function readActors(
  kind: string,
  { ended, ...filter }: Filter,
  {
    cursor,
    most,
    signal,
  }: { readonly cursor?: string | undefined; readonly most?: number; readonly signal?: AbortSignal } = {},
): Promise<ActorsAnswer> {
  const limit = most ?? (filter.kind === '' && cursor === undefined ? firstRows : 100)
  return get('actors', { ...filter, kind, status: ended === 'no' ? 'active' : '', cursor, limit }, signal)
}

/** What there is to filter by. */
export function readChoices(): Promise<ChoicesAnswer> {
  return get('choices')
}

export function readActor(address: string): Promise<ActorAnswer> {
  return get('actor', { address })
}

/** The newest page, the one behind a cursor, or the one that begins with a step. */
export function readHistory(
  address: string,
  at: { readonly cursor?: string; readonly from?: number } = {},
): Promise<Page<HistoryRow>> {
  return get('history', { address, limit: 100, ...at })
}

export function readStory(address: string): Promise<StoryAnswer> {
  return get('story', { address })
}

export function readChart(kind: string): Promise<Chart> {
  return get(`charts/${kind}`)
}
