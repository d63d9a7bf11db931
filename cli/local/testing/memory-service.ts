/** A memory service as `statewright up` starts one, for the orchestrator of a test. Test code only. */
import { clientCredentials } from '../../../http/token-source.ts'
import type { OrchestratorSettings } from '../../../orchestrator/settings/settings.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { memorySupervisor, urlOf, type LocalMemory } from '../memory.ts'
import { freePort } from '../processes/ports.ts'

const audience = 'urn:statewright:memory'
const client = { clientId: 'pods', secret: 'memory-client' }
/** What the identity provider of the test has to know of it. */
export const memoryClient = { ...client, audiences: [audience] }

export interface Memory {
  readonly url: string
  readonly credential: Readonly<Record<'tokenUrl' | 'clientId' | 'secret' | 'audience', string>>
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
}

export interface MemoryService {
  readonly start: (identity: Issuer) => Promise<Partial<OrchestratorSettings>>
  memory(): Memory
  stop(): Promise<void>
}

interface Issuer {
  readonly issuer: string
  readonly tokenUrl: string
}

/** `project`: `<namespace>/<name>`; `fills`: whether the orchestrator fills it. */
export async function memoryService(
  dir: string,
  { project, fills }: { readonly project: string; readonly fills: boolean },
): Promise<MemoryService> {
  const port = await freePort()
  const url = urlOf(port)
  let local: LocalMemory | undefined
  let tokenUrl = ''
  return {
    start: async (identity) => {
      tokenUrl = identity.tokenUrl
      const failed = Promise.withResolvers<never>()
      const options = { dir, port, issuer: identity.issuer, audience, server: undefined, onFailed: failed.reject }
      local = memorySupervisor(options)
      await Promise.race([local.ready, failed.promise])
      failed.promise.catch(() => undefined)
      return {
        memory: {
          urls: { [project]: url },
          publicUrls: {},
          audience,
          clientId: client.clientId,
          clientSecret: client.secret,
          fills,
          profile: 'light',
          localPort: 0,
        },
      }
    },
    memory: () => {
      const { clientId, secret } = client
      const credential = { tokenUrl, clientId, secret, audience }
      const tokens = clientCredentials({ ...credential, clock: systemClock, fetch })
      return { url, credential, ask: async (...call) => ask(url, await tokens.token(), ...call) }
    },
    stop: async () => local?.stop(),
  }
}

async function ask(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`the memory answered ${answer.status} to ${method} ${path}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}
