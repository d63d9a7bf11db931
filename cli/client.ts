import { ApiError } from '../http/api-error.ts'
import type { Page } from '../http/list.ts'
import { clientCredentials } from '../http/token-source.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Endpoints } from './local/endpoints.ts'

export interface OrchestratorClient {
  call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>
}

/** The orchestrator's API as the command line calls it, with its own client's token. */
export function orchestratorClient(
  endpoints: Pick<Endpoints, 'orchestrator' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'audience'>,
): OrchestratorClient {
  const { tokenUrl, clientId, clientSecret: secret, audience } = endpoints
  const tokens = clientCredentials({ tokenUrl, clientId, secret, audience, clock: systemClock, fetch })
  return {
    call: async (method, path, body) => {
      const token = await tokens.token().catch((cause: unknown) => {
        throw cause instanceof TypeError ? unreachable('identity provider', new URL(tokenUrl).origin, cause) : cause
      })
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const init = { method, headers, signal: AbortSignal.timeout(30_000) }
      const response = await fetch(
        new URL(path, endpoints.orchestrator),
        body === undefined ? init : { ...init, body: JSON.stringify(body) },
      ).catch((cause: unknown) => {
        throw unreachable('orchestrator', endpoints.orchestrator, cause)
      })
      const text = await response.text()
      const value: unknown = text === '' ? undefined : parse(text)
      if (!response.ok) throw new ApiError('the orchestrator', response.status, value)
      return value
    },
  }
}

/** Every item of a list, page by page. */
export async function listAll<T>(
  client: OrchestratorClient,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly T[]> {
  const items: T[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const asked = new URLSearchParams({ ...query, limit: String(pageSize), ...(cursor === '' ? {} : { cursor }) })
    const page = (await client.call('GET', `${path}?${asked.toString()}`)) as Page<T>
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

/** The most that the server answers at once. */
const pageSize = 500

function unreachable(what: string, url: string, cause: unknown): Error {
  const next = 'is statewright up still running? Start it again, or name its folder with --dir'
  return new Error(`the ${what} at ${url} does not answer: ${next}`, { cause })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
