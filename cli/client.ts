import { ApiError } from '../http/api-error.ts'
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
      const headers = {
        authorization: `Bearer ${await tokens.token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const init = { method, headers, signal: AbortSignal.timeout(30_000) }
      const response = await fetch(
        new URL(path, endpoints.orchestrator),
        body === undefined ? init : { ...init, body: JSON.stringify(body) },
      )
      const text = await response.text()
      const value: unknown = text === '' ? undefined : parse(text)
      if (!response.ok) throw new ApiError('the orchestrator', response.status, value)
      return value
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
