/** A memory service as `statewright up` starts one, for the orchestrator of a test. Test code only. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientCredentials } from '../../../http/token-source.ts'
import type { OrchestratorSettings } from '../../../orchestrator/settings/settings.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { localMemoryStacks } from '../../../edges/local/memory-stacks.ts'
import { programDir } from '../../program.ts'
import { endMemories } from '../processes/end-detached.ts'
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

const startLimitMs = 110_000
const lookMs = 200

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
  const url = `http://127.0.0.1:${port}`
  const root = join(dir, 'memory')
  let tokenUrl = ''
  return {
    start: async (identity) => {
      tokenUrl = identity.tokenUrl
      const stacks = localMemoryStacks({
        root,
        command: [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'memory'],
        issuer: identity.issuer,
        audience,
        env: {},
        databaseServer: '',
        firstPort: port,
        fetch,
        clock: systemClock,
        random: Math.random,
      })
      const sizes = { pgInstances: 1, pgStorage: '', pgWalStorage: '', neo4jStorage: '' }
      const signal = AbortSignal.timeout(startLimitMs)
      while ((await stacks.reconcile(project, { profile: 'light', ...sizes, fills }, signal)).phase === 'pending')
        await sleep(lookMs)
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
    stop: () => endMemories(root),
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
