import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { errors, type ClientMetadata, type Configuration, type ResourceServer } from 'oidc-provider'
import { deviceStorage } from './device-storage.ts'
import { noStorage } from './no-storage.ts'
import { accountsOf, devicePages, interactions, isSignIn, signIn, signOutPages, type Groups } from './sign-in.ts'
import { signingKey } from './signing-key.ts'

/** A program that may ask for tokens. `audiences` are absolute URIs, for example `urn:statewright:operator` (RFC 8707). */
export interface IdentityClient {
  readonly clientId: string
  readonly secret: string
  readonly audiences: readonly string[]
}

/** A program by which people sign in on another device (RFC 8628): it has no secret. */
export interface DeviceClient {
  readonly clientId: string
  readonly audiences: readonly string[]
}

/** A program to which people sign in by their browser: the code flow, which here takes PKCE. */
export interface BrowserClient {
  readonly clientId: string
  /** Absent: the client is public. */
  readonly secret?: string
  /** Who signs out comes back to these too. */
  readonly redirectUris: readonly string[]
}

export interface People {
  readonly devices: readonly DeviceClient[]
  readonly browsers?: readonly BrowserClient[]
  /** What a person has to know to sign in: nothing that a pod can read. */
  readonly signInCode: string
  /** By the name with which people sign in; the claim `groups` of all their tokens. */
  readonly groups?: Groups
}

export interface IdentityOptions {
  readonly port?: number
  /** Default 127.0.0.1, as its issuer is. */
  readonly listen?: string
  /** Of its issuer, where others know it by a name or another address. Default 127.0.0.1. */
  readonly host?: string
  readonly clients: readonly IdentityClient[]
  /** Programs by which people sign in. */
  readonly people?: People
  /** Where the signing key is kept over restarts (mode 0600). */
  readonly keyFile?: string
  readonly tokenSeconds?: number
}

export interface Identity {
  readonly issuer: string
  readonly jwksUri: string
  readonly tokenUrl: string
  close(): Promise<void>
}

const DEFAULT_TOKEN_SECONDS = 600
/** A person who signed in stays so for two weeks, and has ten minutes to confirm a code. */
const deviceLives = {
  DeviceCode: 600,
  IdToken: 600,
  Session: 1_209_600,
  Interaction: 600,
  Grant: 1_209_600,
  RefreshToken: 1_209_600,
}

/** A real OpenID provider on loopback: client credentials in, RFC 9068 access tokens (RS256) out. Where `people` are, they sign in with any name and the sign-in code. */
export async function startIdentity(options: IdentityOptions): Promise<Identity> {
  // Its key may not be readable: before anything listens.
  const settings = configuration(options)
  const server = createServer()
  server.listen(options.port ?? 0, options.listen ?? '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://${options.host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, settings)
  const answer = provider.callback()
  const { people } = options
  server.on('request', (request, response) =>
    people !== undefined && isSignIn(request)
      ? void signIn(provider, people.signInCode, request, response)
      : void answer(request, response),
  )
  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    tokenUrl: `${issuer}/token`,
    close: () => close(server),
  }
}

function configuration(options: IdentityOptions): Configuration {
  const { devices = [], browsers = [], groups = {} } = options.people ?? {}
  const audiences = new Map([...options.clients, ...devices].map((client) => [client.clientId, client.audiences]))
  const accessTokenTTL = options.tokenSeconds ?? DEFAULT_TOKEN_SECONDS
  return {
    adapter: devices.length + browsers.length === 0 ? noStorage : deviceStorage(),
    jwks: { keys: [signingKey(options.keyFile)] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    ttl: { ClientCredentials: accessTokenTTL, AccessToken: accessTokenTTL, ...deviceLives },
    interactions,
    findAccount: accountsOf(groups),
    claims: { openid: ['sub', 'groups'] },
    // What roles come from is in the id token as in access tokens.
    conformIdTokenClaims: false,
    extraTokenClaims: async (_context, token) => ({ groups: groups[String('accountId' in token && token.accountId)] }),
    pkce: { required: () => true },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    clients: [...options.clients.map(confidential), ...devices.map(ofDevice), ...browsers.map(ofBrowser)],
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: devices.length > 0, ...devicePages },
      clientCredentials: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...signOutPages },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, audience, client) => {
          if (!audiences.get(client.clientId)?.includes(audience)) throw new errors.InvalidTarget()
          return resourceServer(audience, accessTokenTTL)
        },
      },
    },
  }
}

function confidential({ clientId, secret }: IdentityClient): ClientMetadata {
  return {
    client_id: clientId,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
}

function ofDevice({ clientId }: DeviceClient): ClientMetadata {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    redirect_uris: [],
    response_types: [],
  }
}

function ofBrowser({ clientId, secret, redirectUris }: BrowserClient): ClientMetadata {
  return {
    client_id: clientId,
    ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
    application_type: 'native',
    grant_types: ['authorization_code'],
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...redirectUris],
    response_types: ['code'],
  }
}

function resourceServer(audience: string, accessTokenTTL: number): ResourceServer {
  return { scope: '', audience, accessTokenTTL, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
