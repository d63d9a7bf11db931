import { Type, type Static, type TSchema } from 'typebox'
import { ApiError } from '../../http/problems/api-error.ts'
import { pageOf, type Page } from '../../http/problems/list.ts'
import { clientCredentials, type TokenSource } from '../../http/token-source.ts'
import { faultsOf } from '../../http/problems/validation.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { Endpoints } from '../local/endpoints.ts'
import { keptToken } from './kept-token.ts'
import { versionOf } from './metadata.ts'
import { program } from '../program.ts'
import { codeOf, messageOf } from '../../runtime/errors.ts'

/** Nobody answered: asked again later, somebody may. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** Asked again, it may answer: it starts, or a proxy before it has lost it. */
export function isAway(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500)
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

export interface OrchestratorClient {
  /** Its turns ask a scripted model: what they cost by a list of prices nobody pays. */
  readonly isScripted?: boolean
  call(method: Method, path: string, body?: unknown): Promise<unknown>
  /** An answer with another form than `schema` has is one of another version. More fields than these are fine. */
  ask<S extends TSchema>(schema: S, method: Method, path: string, body?: unknown): Promise<Static<S>>
}

export interface Connection {
  /** Origin of the orchestrator. */
  readonly url: string
  /** Address of whom `tokens` asks, for people. */
  readonly issuer: string
  readonly tokens: TokenSource
  /** Of this program. */
  readonly version: string
  readonly isScripted?: boolean
  /** What a person does next. */
  readonly next: {
    readonly unreachable: string
    readonly unauthenticated: string
  }
}

/** The orchestrator's API as the command line calls it. Each error names what to do. */
export function orchestratorClient(connection: Connection): OrchestratorClient {
  const { url, issuer, tokens, next } = connection

  async function send(method: Method, path: string, body: unknown): Promise<Response> {
    const token = await tokens.token().catch((cause: unknown) => {
      throw isUnanswered(cause) ? unreachable(`identity provider at ${issuer}`, next.unreachable, cause) : cause
    })
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const init = { method, headers, redirect: 'manual' as const, signal: AbortSignal.timeout(answerMs) }
    return fetch(new URL(path, url), body === undefined ? init : { ...init, body: JSON.stringify(body) }).catch(
      (cause: unknown) => {
        throw unreachable(`orchestrator at ${url}`, next.unreachable, cause)
      },
    )
  }

  async function call(method: Method, path: string, body?: unknown): Promise<unknown> {
    let response = await send(method, path, body)
    if (response.status === 401) {
      await response.body?.cancel()
      tokens.forget()
      response = await send(method, path, body)
    }
    const text = await response.text()
    const value: unknown = text === '' ? undefined : parse(text)
    if (response.ok && typeof value !== 'string') return value
    throw await refusal(connection, response, { asked: `${method} ${path.split('?', 1)[0]}`, value })
  }

  return {
    isScripted: connection.isScripted === true,
    call,
    ask: async (schema, method, path, body) => {
      const answer = await call(method, path, body)
      const [fault] = faultsOf(schema, answer)
      if (fault === undefined) return answer as never
      const done = method === 'GET' ? '' : 'It took the request, but '
      throw new Error(
        `${done}${await ofVersion(connection, `its answer to ${path.split('?', 1)[0]} differs: ${fault.path} ${fault.message}`)}`,
      )
    },
  }
}

/** As `up` wrote it down: the command line has a client of its own there. `dir`: where its token is kept for the next command. */
export function localConnection(
  endpoints: Pick<Endpoints, 'orchestrator' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'audience'> & {
    readonly model?: string
  },
  version: string,
  dir?: string,
): Connection {
  const { orchestrator: url, tokenUrl, clientId, clientSecret: secret, audience } = endpoints
  const restart = `is ${program} up still running? Start it again, name its folder with --dir, or another orchestrator with --server`
  const source = clientCredentials({ tokenUrl, clientId, secret, audience, clock: systemClock, fetch })
  return {
    url,
    isScripted: Boolean(endpoints.model),
    issuer: new URL(tokenUrl).origin,
    tokens:
      dir === undefined
        ? source
        : keptToken(dir, [tokenUrl, clientId, secret, audience], { source, clock: systemClock }),
    version,
    next: { unreachable: restart, unauthenticated: restart },
  }
}

/** A link that opens a session of the inspector, once. */
export async function inspectorLink(client: Pick<OrchestratorClient, 'ask'>): Promise<string> {
  return (await client.ask(Type.Object({ link: Type.String() }), 'POST', '/operations/inspector-link')).link
}

/** Every item of a list, page by page. `item`: the form of one, where the caller reads it for a person. */
export async function listAll<T>(
  client: Pick<OrchestratorClient, 'ask'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
  item: TSchema = Type.Unknown(),
): Promise<readonly T[]> {
  const items: T[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const asked = new URLSearchParams({ ...query, limit: String(pageSize), ...(cursor === '' ? {} : { cursor }) })
    const page = (await client.ask(pageOf(item), 'GET', `${path}?${asked.toString()}`)) as Page<T>
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

/** The most that the server answers at once. */
const pageSize = 500
const answerMs = 30_000

interface Refused {
  /** Method and path. */
  readonly asked: string
  readonly value: unknown
}

async function refusal(connection: Connection, response: Response, { asked, value }: Refused): Promise<Error> {
  const { url, next, version } = connection
  const { status } = response
  if (status >= 300 && status < 400)
    return new Error(
      `${url} sends on to ${response.headers.get('location') ?? 'nowhere'}: give the address that answers`,
    )
  // A page, as a proxy or another server writes it.
  if (typeof value !== 'object' || value === null)
    return status >= 500
      ? new ApiError('the orchestrator', status, value, 'a proxy before it gets no answer from it; look at its pods')
      : new Error(`what answers at ${url} with ${status} is no orchestrator: check the address`)
  if (status === 401) return new ApiError('the orchestrator', status, value, next.unauthenticated)
  if (status === 403)
    return new ApiError(
      'the orchestrator',
      status,
      value,
      'the administrator of the orchestrator gives roles by its setting ROLES',
    )
  const error = new ApiError('the orchestrator', status, value)
  if (!isUnknownRoute(error)) return error
  if (/^(PUT|DELETE) \/resources/.test(asked) && (await versionOf(url)) === version)
    return new Error(`the orchestrator at ${url} has its resources in Kubernetes: write them with kubectl`)
  return new Error(await ofVersion(connection, error.message), { cause: error })
}

function isUnknownRoute({ status, message }: ApiError): boolean {
  return status === 405 || (status === 404 && message.startsWith('no route has the path'))
}

async function ofVersion({ url, version }: Connection, why: string): Promise<string> {
  const theirs = await versionOf(url)
  if (theirs === version) return `the orchestrator at ${url} has version ${version}, as this program has: ${why}`
  const named = theirs === undefined ? 'an unknown version' : `version ${theirs}`
  return `the orchestrator at ${url} has ${named}, this program has ${version}: use one of the same version. ${why}`
}

function unreachable(what: string, next: string, cause: unknown): UnreachableError {
  const why = causeOf(cause)
  return new UnreachableError(`the ${what} does not answer${why === '' ? '' : ` (${why})`}: ${next}`, { cause })
}

/** fetch names the reason in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.name === 'TimeoutError') return 'timeout'
  return error.cause === undefined ? '' : (codeOf(error.cause) ?? messageOf(error.cause))
}

function isUnanswered(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
