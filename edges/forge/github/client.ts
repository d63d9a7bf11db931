import type { Octokit } from '@octokit/rest'
import type { Static, TSchema } from 'typebox'
import { RetryableError } from '../../../runtime/errors.ts'
import type { AdapterOptions } from '../transport/adapter.ts'
import { checked } from '../transport/answer.ts'
import { failureOf } from './failure.ts'

interface RepositoryParams {
  readonly owner: string
  readonly repo: string
}

interface LinkHeader {
  readonly link?: string | undefined
}

export interface GithubClient {
  /** Loaded at the first request: a process whose Projects are all on another forge, or that has none, never has it. */
  rest(): Promise<Octokit>
  /** One request; its answer checked against the schema, its failure as one of the port's errors. */
  read<S extends TSchema>(
    operation: string,
    schema: S,
    run: (rest: Octokit) => Promise<{ readonly data: unknown }>,
  ): Promise<Static<S>>
  /** One page of a list; `next` is what `pageAt` reads. */
  page<S extends TSchema>(
    operation: string,
    item: S,
    run: (rest: Octokit) => Promise<{ readonly data: readonly unknown[]; readonly headers: LinkHeader }>,
  ): Promise<{ readonly items: Static<S>[]; readonly next?: string }>
  /** Every page of a list. */
  list<S extends TSchema>(
    operation: string,
    item: S,
    run: (rest: Octokit) => Promise<readonly unknown[]>,
  ): Promise<Static<S>[]>
  /** The text at the place that the answer names: another host's, which gets no token and may name no third. */
  redirected(operation: string, run: (rest: Octokit) => Promise<{ readonly headers: object }>): Promise<string>
  /** A request whose answer nobody reads. */
  send(operation: string, run: (rest: Octokit) => Promise<unknown>): Promise<void>
}

const USER_AGENT = 'statewright'
function quiet(): void {}

async function loadOctokit(options: AdapterOptions): Promise<Octokit> {
  const { Octokit } = await import('@octokit/rest')
  return new Octokit({
    auth: options.token,
    userAgent: USER_AGENT,
    ...(options.apiURL === undefined ? {} : { baseUrl: options.apiURL.replace(/\/+$/, '') }),
    request: { fetch: options.fetch },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
}

export function createGithubClient(options: AdapterOptions): GithubClient {
  let loaded: Promise<Octokit> | undefined
  const rest = (): Promise<Octokit> => (loaded ??= loadOctokit(options))
  async function attempt<T>(operation: string, run: (rest: Octokit) => Promise<T>): Promise<T> {
    try {
      return await run(await rest())
    } catch (error) {
      throw failureOf(operation, error)
    }
  }
  return {
    rest,
    read: async (operation, schema, run) => checked(operation, schema, (await attempt(operation, run)).data),
    async page(operation, item, run) {
      const { data, headers } = await attempt(operation, run)
      const next = nextIn(headers.link)
      return {
        items: data.map((one) => checked(operation, item, one)),
        ...(next === undefined ? {} : { next }),
      }
    },
    list: async (operation, item, run) => (await attempt(operation, run)).map((one) => checked(operation, item, one)),
    async redirected(operation, run) {
      const { location } = (await attempt(operation, run)).headers as { readonly location?: string }
      if (location === undefined || !URL.canParse(location))
        throw new RetryableError(`${operation}: the forge named no address for the redirect`)
      const answer = await options.fetch(location)
      if (!answer.ok)
        throw failureOf(operation, { status: answer.status, message: `the redirect answered ${answer.status}` })
      return answer.text()
    },
    send: async (operation, run) => void (await attempt(operation, run)),
  }
}

/** Which page is the next one, and nothing else of the address: its other words would be options of the request. */
function nextIn(link: string | undefined): string | undefined {
  const url = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (url === undefined || !URL.canParse(url)) return undefined
  const named = [...new URL(url).searchParams].filter(([name]) => name === 'page' || name === 'after')
  return named.length === 0 ? undefined : new URLSearchParams(named).toString()
}

/** The parameters of the page that `next` named; long lists go by `after`, short ones by `page`. */
export function pageAt(next: string | undefined): { readonly page?: number; readonly after?: string } {
  const { page, after } = Object.fromEntries(new URLSearchParams(next))
  return { ...(page === undefined ? {} : { page: Number(page) }), ...(after === undefined ? {} : { after }) }
}

export function repositoryParamsOf(path: string): RepositoryParams {
  const slash = path.indexOf('/')
  return { owner: path.slice(0, slash), repo: path.slice(slash + 1) }
}
