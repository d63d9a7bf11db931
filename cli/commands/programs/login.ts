import { flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { deviceLogin } from '../../../memory/client/device-login.ts'
import { discover } from '../../../memory/client/discovery.ts'
import {
  credentialsFile,
  localEndpoints,
  nonEmpty,
  serviceOptions,
  serviceUrl,
  type Environment,
} from '../../knowledge-service.ts'
import { expiryOf } from '../../../memory/client/token-answer.ts'
import { tokenStore } from '../../../memory/client/token-store.ts'
import { serverAddress } from '../../server/address.ts'
import { contextsFile, readContexts, withContext, withoutContext, writeContexts } from '../../server/contexts.ts'
import { metadataOf } from '../../server/metadata.ts'
import { print, printError } from '../../output/terminal.ts'
import { messageOf } from '../../../runtime/errors.ts'

const usage = `usage: statewright login --server URL [options]
       statewright login [--url URL] [options]
       statewright login --out [--server URL | --url URL]

Signs a person in: with --server at an orchestrator, without it at the knowledge service.
The command prints an address and a code. It waits until somebody confirms the code there in a browser.
It stores the tokens in a file that only this user can read, and renews them when they expire.

  --server URL         the orchestrator, which names its identity provider itself
  --context NAME       the name of this login for other commands (default: the host of URL); it becomes the current one
  --url URL            the knowledge service (default: MEMORY_URL, then that of statewright up)
  --issuer URL         the identity provider (default: the orchestrator's; OIDC_ISSUER, then that of statewright up)
  --client-id ID       the public client at the identity provider (default: the orchestrator's; OIDC_CLIENT_ID, then statewright-cli)
  --audience AUDIENCE  the audience of the token (default: the orchestrator's; MEMORY_AUDIENCE, then that of statewright up)
  --dir DIR            the folder of statewright up (default .statewright)
  --out                sign out: remove the stored tokens`

const options = {
  ...serviceOptions,
  server: { type: 'string' },
  context: { type: 'string' },
  issuer: { type: 'string' },
  'client-id': { type: 'string' },
  audience: { type: 'string' },
  out: { type: 'boolean' },
} as const

/** The public client that the stand-in of one machine knows. */
const publicClient = 'statewright-cli'

/** Where a person signs in, and what the token is for. */
interface SignIn {
  /** What the tokens are stored by. */
  readonly url: string
  readonly issuer: string
  readonly audience: string
  readonly clientId: string
}

export async function login(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length > 0) throw new UsageError(usage)
  const { env } = process
  const given = text(parsed, 'server')
  if (given !== undefined && text(parsed, 'url') !== undefined)
    throw new UsageError('--server and --url name two services: give one')
  if (given !== undefined) return loginAtServer(parsed, env, serverAddress(given))
  if (text(parsed, 'context') !== undefined) throw new UsageError('--context needs --server')
  const url = serviceUrl(parsed, env)
  if (url === undefined)
    throw new UsageError(`no service is known: give --server URL, or --url URL for the knowledge service\n\n${usage}`)
  if (flag(parsed, 'out')) return signOut(env, url)
  await signIn(parsed, env, knowledgeService(parsed, env, url))
  print(`signed in at ${url}`)
  return 0
}

async function loginAtServer(parsed: Parsed, env: Environment, url: string): Promise<number> {
  const file = contextsFile(env)
  const named = text(parsed, 'context')
  if (flag(parsed, 'out')) {
    const before = readContexts(file)
    const names = Object.entries(before.contexts).filter(
      ([name, { server }]) => server === url && (named ?? name) === name,
    )
    writeContexts(
      file,
      names.reduce((rest, [name]) => withoutContext(rest, name), before),
    )
    return signOut(env, url)
  }
  const wanted = await atServer(parsed, url)
  printError(`${wanted.issuer} is asked for a token of ${wanted.audience}, which ${url} will get`)
  await signIn(parsed, env, wanted)
  const context = named ?? new URL(url).host
  writeContexts(file, withContext(readContexts(file), context, url))
  print(`signed in at ${url}; the current context is ${context}`)
  return 0
}

/** A person's own words go before the server's. */
async function atServer(parsed: Parsed, url: string): Promise<SignIn> {
  const [issuer, audience, clientId] = [text(parsed, 'issuer'), text(parsed, 'audience'), text(parsed, 'client-id')]
  if (issuer !== undefined && audience !== undefined)
    return { url, issuer, audience, clientId: clientId ?? publicClient }
  const published = await metadataOf(url).catch((cause: unknown) => {
    throw new Error(
      `${url} does not publish where to sign in (${messageOf(cause)}): check the address, or give --issuer and --audience`,
      { cause },
    )
  })
  // RFC 9728 3.3: what speaks for another resource says nothing of this one.
  const { resource } = published
  if (!URL.canParse(resource) || new URL(resource).href !== new URL(url).href)
    throw new Error(
      `${url} publishes how to sign in at ${resource}, which is another address: give --server ${resource} if you mean that one, else --issuer and --audience`,
    )
  const [theirs = ''] = published.authorization_servers
  return {
    url,
    issuer: issuer ?? theirs,
    audience: audience ?? published.statewright_audience,
    clientId: clientId ?? published.statewright_client_id,
  }
}

function knowledgeService(parsed: Parsed, env: Environment, url: string): SignIn {
  const local = localEndpoints(parsed)
  const issuer = text(parsed, 'issuer') ?? nonEmpty(env['OIDC_ISSUER']) ?? local?.identity
  const audience = text(parsed, 'audience') ?? nonEmpty(env['MEMORY_AUDIENCE']) ?? local?.memoryAudience
  const clientId = text(parsed, 'client-id') ?? nonEmpty(env['OIDC_CLIENT_ID']) ?? publicClient
  if (issuer === undefined || audience === undefined)
    throw new UsageError(`${issuer === undefined ? '--issuer' : '--audience'} is needed\n\n${usage}`)
  return { url, issuer, audience, clientId }
}

function signOut(env: Environment, url: string): number {
  tokenStore(credentialsFile(env)).write(url, undefined)
  print(`signed out of ${url}`)
  return 0
}

async function signIn(parsed: Parsed, env: Environment, { url, issuer, audience, clientId }: SignIn): Promise<void> {
  const local = localEndpoints(parsed)
  const { tokenUrl, deviceUrl } = await discover(issuer, { fetch, clock: systemClock })
  if (deviceUrl === undefined) throw new Error(`${issuer} offers no sign-in by device (RFC 8628)`)
  const askedAt = Date.now()
  const granted = await deviceLogin({
    deviceUrl,
    tokenUrl,
    clientId,
    audience,
    clock: systemClock,
    fetch,
    wait: (ms) => new Promise((done) => void setTimeout(done, ms)),
    show: (address, code, complete) => {
      printError([
        `open ${complete ?? address} in a browser, on any machine,`,
        `and ${complete === undefined ? 'type' : 'compare'} the code ${code}`,
      ])
      if (issuer === local?.identity && local.signInCode !== undefined)
        printError(`the page asks for the sign-in code of this machine: ${local.signInCode}`)
    },
  })
  tokenStore(credentialsFile(env)).write(url, {
    issuer,
    tokenUrl,
    clientId,
    audience,
    accessToken: granted.access_token,
    expiresAt: expiryOf(granted, askedAt),
    ...(granted.refresh_token === undefined ? {} : { refreshToken: granted.refresh_token }),
  })
}
