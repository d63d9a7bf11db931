import type { Static, TSchema } from 'typebox'
import type { AdapterOptions } from '../transport/adapter.ts'
import { checked } from '../transport/answer.ts'
import { BrokenAnswerError } from '../errors.ts'
import { failureOf, silenceOf, type Refusal } from './failure.ts'

type Value = string | number | boolean

export interface GitlabRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As `apiPathOf` writes it. */
  readonly apiPath: string
  readonly query?: Readonly<Record<string, Value>>
  readonly body?: object
  /** What a refusal means here; absent: as everywhere. */
  readonly failure?: (operation: string, refusal: Refusal) => Error
}

export interface GitlabClient {
  /** Where its pages lie, without a slash at the end. */
  readonly webURL: string
  /** One request; its answer checked against the schema, its failure as one of the port's errors. */
  read<S extends TSchema>(operation: string, schema: S, request: GitlabRequest): Promise<Static<S>>
  /** One page of a list; `next` is what `pageAt` reads. */
  page<S extends TSchema>(
    operation: string,
    item: S,
    request: GitlabRequest,
  ): Promise<{ readonly items: Static<S>[]; readonly next?: string }>
  /** Every page of a list, or as far as `isLast` wants them. */
  list<S extends TSchema>(
    operation: string,
    item: S,
    request: GitlabRequest,
    isLast?: (items: readonly Static<S>[]) => boolean,
  ): Promise<Static<S>[]>
  text(operation: string, request: GitlabRequest): Promise<string>
  /** A request whose answer nobody reads. */
  send(operation: string, request: GitlabRequest): Promise<void>
}

const GITLAB_COM = 'https://gitlab.com/api/v4'
const USER_AGENT = 'statewright'
const PAGE = { per_page: 100 }
/** GitLab ends its own numbered pages at 50,000 items. A list beyond is one that goes round in a circle. */
const MOST_PAGES = 1000

export function createGitlabClient({ token, fetch, apiURL = GITLAB_COM }: AdapterOptions): GitlabClient {
  const base = apiURL.replace(/\/+$/, '')

  async function ask(operation: string, request: GitlabRequest): Promise<Response> {
    const { method = 'GET', apiPath, query = {}, body, failure = failureOf } = request
    const answer = await fetch(`${base}${apiPath}${queryOf(query)}`, {
      method,
      headers: {
        'private-token': token,
        'user-agent': USER_AGENT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => Promise.reject(silenceOf(operation, error)))
    if (!answer.ok) throw failure(operation, { status: answer.status, body: await answer.text() })
    return answer
  }

  const client: GitlabClient = {
    webURL: base.replace(/\/api\/v4$/, ''),
    read: async (operation, schema, request) =>
      checked(operation, schema, await jsonOf(operation, await ask(operation, request))),
    async page(operation, item, { query, ...request }) {
      const answer = await ask(operation, { ...request, query: { ...PAGE, ...query } })
      const items = await jsonOf(operation, answer)
      if (!Array.isArray(items)) throw new BrokenAnswerError(`${operation}: the forge’s answer is no list`)
      const next = nextIn(answer.headers)
      return { items: items.map((one) => checked(operation, item, one)), ...(next === undefined ? {} : { next }) }
    },
    async list(operation, item, request, isLast = () => false) {
      const found: Static<typeof item>[] = []
      for (let next: string | undefined, page = 0; page < MOST_PAGES; page++) {
        const query = { ...request.query, ...pageAt(next) }
        const part = await client.page(operation, item, { ...request, query })
        found.push(...part.items)
        next = part.next
        if (next === undefined || isLast(part.items)) return found
      }
      throw new BrokenAnswerError(`${operation}: the forge’s list has no end`)
    },
    text: async (operation, request) => (await ask(operation, request)).text(),
    send: async (operation, request) => void (await ask(operation, request)),
  }
  return client
}

function queryOf(query: Readonly<Record<string, Value>>): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) words.set(name, String(value))
  return words.size === 0 ? '' : `?${words.toString()}`
}

/** The words of an address that name a page: by number, or by a mark in lists that have no numbers. */
const pageWords = new Set(['page', 'cursor', 'id_after'])

/** Which page is the next one, and nothing else of the address: its other words would be options of the request. */
function nextIn(headers: Headers): string | undefined {
  const url = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const named = url !== undefined && URL.canParse(url) ? [...new URL(url).searchParams] : []
  const words = new URLSearchParams(named.filter(([name]) => pageWords.has(name)))
  if (words.size > 0) return words.toString()
  const number = headers.get('x-next-page') ?? ''
  return /^\d+$/.test(number) ? `page=${number}` : undefined
}

/** The parameters of the page that `next` named. */
export function pageAt(next: string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries([...new URLSearchParams(next)].filter(([name]) => pageWords.has(name)))
}

async function jsonOf(operation: string, answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch (error) {
    throw new BrokenAnswerError(`${operation}: the forge’s answer is no JSON`, { cause: error })
  }
}

/** A place in a project. GitLab takes the project's whole path, groups and all, as one segment. */
export function apiPathOf(path: string, ...segments: readonly (string | number)[]): string {
  return ['/projects', path, ...segments].map((one, at) => (at === 0 ? one : encodeURIComponent(one))).join('/')
}
