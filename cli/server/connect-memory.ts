/** A connection to the memory of a Project, or to the knowledge service that a command is led to otherwise. */
import { valueAt } from '../../crd/columns.ts'
import { memoryClient, type MemoryClient } from '../../memory/client/memory-client.ts'
import { savedTokens } from '../../memory/client/saved-tokens.ts'
import { tokenStore } from '../../memory/client/token-store.ts'
import { clientCredentials, type TokenSource } from '../../http/token-source.ts'
import { systemClock } from '../../runtime/clock.ts'
import { text, UsageError, type Parsed } from '../args.ts'
import {
  credentialsFile,
  localEndpoints,
  programTokens,
  serviceOptions,
  serviceUrl,
  type Environment,
} from '../knowledge-service.ts'
import { program } from '../program.ts'
import { resourcePath, requireKind, View } from '../resource-view.ts'
import { serverAddress } from './address.ts'
import { connectOrchestrator, serverOf } from './connect.ts'

export const memoryOptions = { ...serviceOptions, project: { type: 'string' } } as const

export const memoryUsage = `  --url URL         the knowledge service (default: MEMORY_URL, then that of statewright up)
  --project NAME    the memory of this Project (NAME or NAMESPACE/NAME), which its orchestrator names
  --dir DIR         the folder of statewright up (default .statewright)

A person signs in with statewright login. A program signs in with OIDC_ISSUER, OIDC_CLIENT_ID, MEMORY_AUDIENCE and
OIDC_CLIENT_SECRET (or OIDC_CLIENT_SECRET_FILE).`

interface MemoryAt {
  readonly url: string
  /** `statewright up` runs it: its own client signs in there. */
  readonly isOfMachine: boolean
}

/** Undefined: no service is known. */
export async function memoryAt(parsed: Parsed, env: Environment): Promise<MemoryAt | undefined> {
  const project = text(parsed, 'project')
  if (project === undefined) {
    const url = serviceUrl(parsed, env)
    return url === undefined ? undefined : { url, isOfMachine: localEndpoints(parsed)?.memory === url }
  }
  if (text(parsed, 'url') !== undefined) throw new UsageError('--project and --url name two services: give one')
  return ofProject(parsed, env, project)
}

async function ofProject(parsed: Parsed, env: Environment, project: string): Promise<MemoryAt> {
  const [name = '', namespace = 'default', ...more] = project.split('/').toReversed()
  if (more.length > 0) throw new UsageError(`${project} is no Project: give NAME or NAMESPACE/NAME`)
  const client = await connectOrchestrator(parsed, env)
  const view = await client.ask(View, 'GET', resourcePath(requireKind('project', ''), namespace, name))
  const [endpoint, externalEndpoint] = ['endpoint', 'externalEndpoint'].map((field) =>
    valueAt(view, `.status.memory.${field}`),
  )
  const isOfMachine = 'dir' in serverOf(parsed, env)
  if (isOfMachine && endpoint) return { url: endpoint, isOfMachine }
  if (!isOfMachine && externalEndpoint) return { url: addressAway(project, externalEndpoint), isOfMachine }
  if (!endpoint)
    throw new Error(`Project ${project} has no memory that serves: see ${program} describe project ${name}`)
  throw new Error(
    `the memory of Project ${project} is at ${endpoint}, which only its cluster reaches: forward a port of it with kubectl, and give that as --url`,
  )
}

/** Another machine named it: as with one of an orchestrator, a token goes there over TLS. People copy it into a shell. */
function addressAway(project: string, given: string): string {
  const { origin, pathname } = URL.canParse(given) ? new URL(given) : { origin: '', pathname: '/' }
  const isPlain = [origin, `${origin}${pathname}`].includes(given) && /^[\w./~-]*$/.test(pathname)
  if (!isPlain) throw new Error(`Project ${project} names an address of no memory: ${given}`)
  serverAddress(origin)
  return given
}

/** `known`: what `memoryAt` said, where that was asked already. */
export async function connectMemory(parsed: Parsed, env: Environment, known?: MemoryAt): Promise<MemoryClient> {
  const at = known ?? (await memoryAt(parsed, env))
  if (at === undefined)
    throw new Error(`no knowledge service is known: give --url or MEMORY_URL, or start ${program} up here`)
  const { url, isOfMachine } = at
  const login = `${program} login --url ${url}${within(parsed)}`
  const store = tokenStore(credentialsFile(env))
  const tokens =
    (await programTokens(env, 'MEMORY_AUDIENCE'))?.tokens ??
    savedTokens({ store, url, loginCommand: login, clock: systemClock, fetch }) ??
    (isOfMachine ? ofMachine(parsed) : undefined)
  if (tokens === undefined) throw new Error(`nobody is signed in at ${url}: run ${login}`)
  return memoryClient({
    url,
    tokens,
    clock: systemClock,
    fetch,
    wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  })
}

/** Which identity provider a login goes to is written there. */
function within(parsed: Parsed): string {
  const dir = text(parsed, 'dir')
  return dir === undefined ? '' : ` --dir ${dir}`
}

function ofMachine(parsed: Parsed): TokenSource | undefined {
  const local = localEndpoints(parsed)
  if (local === undefined) return undefined
  const { tokenUrl, clientId, clientSecret: secret, memoryAudience: audience } = local
  return clientCredentials({ tokenUrl, clientId, secret, audience, clock: systemClock, fetch })
}
