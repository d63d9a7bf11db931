import { flag, readArgs, text, UsageError } from '../args.ts'
import { systemClock } from '../../runtime/clock.ts'
import { deviceLogin } from '../../memory/client/device-login.ts'
import { discover } from '../../memory/client/discovery.ts'
import { credentialsFile, localEndpoints, serviceOptions, serviceUrl } from '../knowledge-service.ts'
import { expiryOf } from '../../memory/client/token-answer.ts'
import { tokenStore } from '../../memory/client/token-store.ts'

const usage = `usage: statewright login [--url URL] [--issuer URL] [--client-id ID] [--audience AUDIENCE]
       statewright login --out [--url URL]

Signs a person in at the knowledge service. The command prints an address and a code.
It waits until somebody confirms the code there in a browser. It stores the tokens in a file that only this user can read,
and renews them when they expire.

  --url URL            the knowledge service (default: MEMORY_URL, then that of statewright up)
  --issuer URL         the identity provider (default: OIDC_ISSUER, then that of statewright up)
  --client-id ID       the public client at the identity provider (default: OIDC_CLIENT_ID, then statewright-cli)
  --audience AUDIENCE  the audience of the token (default: MEMORY_AUDIENCE, then that of statewright up)
  --dir DIR            the folder of statewright up (default .statewright)
  --out                sign out: remove the stored tokens`

const options = {
  ...serviceOptions,
  issuer: { type: 'string' },
  'client-id': { type: 'string' },
  audience: { type: 'string' },
  out: { type: 'boolean' },
} as const

/** The public client that the stand-in of one machine knows. */
const publicClient = 'statewright-cli'

export async function login(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length > 0) throw new UsageError(usage)
  const { env } = process
  const url = serviceUrl(parsed, env)
  if (url === undefined) throw new UsageError(`no knowledge service is known: give --url URL\n\n${usage}`)
  const store = tokenStore(credentialsFile(env))
  if (flag(parsed, 'out')) {
    store.write(url, undefined)
    console.log(`signed out of ${url}`)
    return 0
  }
  const local = localEndpoints(parsed)
  const issuer = text(parsed, 'issuer') ?? env['OIDC_ISSUER'] ?? local?.identity
  const audience = text(parsed, 'audience') ?? env['MEMORY_AUDIENCE'] ?? local?.memoryAudience
  const clientId = text(parsed, 'client-id') ?? env['OIDC_CLIENT_ID'] ?? publicClient
  if (issuer === undefined || audience === undefined)
    throw new UsageError(`${issuer === undefined ? '--issuer' : '--audience'} is needed\n\n${usage}`)
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
      console.error(
        `open ${complete ?? address} in a browser, on any machine,\nand ${complete === undefined ? 'type' : 'compare'} the code ${code}`,
      )
      if (issuer === local?.identity && local.signInCode !== undefined)
        console.error(`the page asks for the sign-in code of this machine: ${local.signInCode}`)
    },
  })
  store.write(url, {
    issuer,
    tokenUrl,
    clientId,
    audience,
    accessToken: granted.access_token,
    expiresAt: expiryOf(granted, askedAt),
    ...(granted.refresh_token === undefined ? {} : { refreshToken: granted.refresh_token }),
  })
  console.log(`signed in at ${url}`)
  return 0
}
