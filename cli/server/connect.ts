/** Which orchestrator a command asks, and whose tokens it brings. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { tokenStore } from '../../memory/client/token-store.ts'
import { savedTokens } from '../../memory/client/saved-tokens.ts'
import type { TokenSource } from '../../http/token-source.ts'
import { systemClock } from '../../runtime/clock.ts'
import { text, UsageError, type Parsed } from '../args.ts'
import { localConnection, orchestratorClient, type Connection, type OrchestratorClient } from './client.ts'
import { credentialsFile, nonEmpty, programTokens, type Environment } from '../knowledge-service.ts'
import { findEndpoints, requireEndpoints } from '../local/endpoints.ts'
import { program, version } from '../program.ts'
import { serverAddress } from './address.ts'
import { contextsFile, readContexts } from './contexts.ts'

export const serverOptions = {
  server: { type: 'string' },
  context: { type: 'string' },
  dir: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig

export const serverUsage = `  --server URL      ask this orchestrator; sign in first: statewright login --server URL
  --context NAME    ask the orchestrator of this login (statewright context lists them)
  --dir DIR         ask the one that statewright up runs in DIR
                    Default: STATEWRIGHT_SERVER, then that of .statewright here, then the current context`

const localDir = '.statewright'

type Server = { readonly dir: string } | { readonly url: string }

export async function connectOrchestrator(parsed: Parsed, env: Environment = process.env): Promise<OrchestratorClient> {
  const server = serverOf(parsed, env)
  return orchestratorClient(
    'dir' in server
      ? localConnection(requireEndpoints(server.dir), version(), server.dir)
      : await remote(server.url, env),
  )
}

/** The first that is given. What stands in the folder where the command runs is nearer than a login. */
export function serverOf(parsed: Parsed, env: Environment, here = localDir): Server {
  const [server, context, dir] = [text(parsed, 'server'), text(parsed, 'context'), text(parsed, 'dir')]
  const given = Object.entries({ '--server': server, '--context': context, '--dir': dir })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} name two orchestrators: give one`)
  if (server !== undefined) return { url: serverAddress(server) }
  if (dir !== undefined) return { dir }
  const { current, contexts } = readContexts(contextsFile(env))
  if (context !== undefined) return { url: serverNamed(contexts, context) }
  const ofEnvironment = nonEmpty(env['STATEWRIGHT_SERVER'])
  if (ofEnvironment !== undefined) return { url: serverAddress(ofEnvironment) }
  if (current === undefined || findEndpoints(here) !== undefined) return { dir: here }
  return { url: serverNamed(contexts, current) }
}

function serverNamed(contexts: Readonly<Record<string, { readonly server: string }>>, name: string): string {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (found !== undefined) return serverAddress(found.server)
  const known = Object.keys(contexts)
  throw new UsageError(
    `there is no context ${name}: ${known.length === 0 ? `${program} login --server URL makes one` : `there are ${known.join(', ')}`}`,
  )
}

async function remote(url: string, env: Environment): Promise<Connection> {
  const login = `${program} login --server ${url}`
  const next = {
    unreachable: `check the address and the network; the orchestrator's own state is at ${url}/readyz`,
    unauthenticated: `sign in again: ${login}`,
  }
  // A shell may have a program's client for the knowledge service alone.
  const ofProgram = nonEmpty(env['OIDC_AUDIENCE']) === undefined ? undefined : await programTokens(env, 'OIDC_AUDIENCE')
  if (ofProgram !== undefined) {
    const unauthenticated = 'OIDC_AUDIENCE must be that of the orchestrator'
    return {
      url,
      issuer: ofProgram.issuer,
      tokens: ofProgram.tokens,
      version: version(),
      next: { ...next, unauthenticated },
    }
  }
  const store = tokenStore(credentialsFile(env))
  const issuer = store.read(url)?.issuer
  const tokens: TokenSource | undefined = savedTokens({ store, url, loginCommand: login, clock: systemClock, fetch })
  if (issuer === undefined || tokens === undefined) throw new Error(`nobody is signed in at ${url}: run ${login}`)
  return { url, issuer, tokens, version: version(), next }
}
