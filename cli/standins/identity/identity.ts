import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { errors, type Configuration, type ResourceServer } from 'oidc-provider'
import { noStorage } from './no-storage.ts'
import { signingKey } from './signing-key.ts'

/** A program that may ask for tokens. `audiences` are absolute URIs, for example `urn:statewright:operator` (RFC 8707). */
export interface IdentityClient {
  readonly clientId: string
  readonly secret: string
  readonly audiences: readonly string[]
}

export interface IdentityOptions {
  readonly port?: number
  readonly clients: readonly IdentityClient[]
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

/** A real OpenID provider on loopback: client credentials in, RFC 9068 access tokens (RS256) out, nobody logs in. */
export async function startIdentity(options: IdentityOptions): Promise<Identity> {
  const server = createServer()
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(options))
  server.on('request', provider.callback())
  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    tokenUrl: `${issuer}/token`,
    close: () => close(server),
  }
}

function configuration(options: IdentityOptions): Configuration {
  const audiences = new Map(options.clients.map((client) => [client.clientId, client.audiences]))
  const accessTokenTTL = options.tokenSeconds ?? DEFAULT_TOKEN_SECONDS
  return {
    adapter: noStorage,
    jwks: { keys: [signingKey(options.keyFile)] },
    cookies: { keys: ['no browser ever comes here'] },
    ttl: { ClientCredentials: accessTokenTTL },
    clients: options.clients.map(({ clientId, secret }) => ({
      client_id: clientId,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
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

function resourceServer(audience: string, accessTokenTTL: number): ResourceServer {
  return { scope: '', audience, accessTokenTTL, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
