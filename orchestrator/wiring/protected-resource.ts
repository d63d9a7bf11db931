/**
 * `GET /.well-known/oauth-protected-resource` (RFC 9728): where a person signs in, and for what. It lets `statewright login`
 * begin with the address alone. The names that begin with `statewright_` are ours (RFC 9728 2: others ignore them).
 */
import { Type, type Static } from 'typebox'
import type { HttpApp } from '../../http/app.ts'

export const protectedResourcePath = '/.well-known/oauth-protected-resource'

export const ProtectedResource = Type.Object({
  /** Origin of this server: as `PUBLIC_URL` has it, or the forwarded port by which it was asked. */
  resource: Type.String({ pattern: '^https?://' }),
  resource_name: Type.String(),
  authorization_servers: Type.Array(Type.String(), { minItems: 1 }),
  bearer_methods_supported: Type.Array(Type.String()),
  statewright_version: Type.String(),
  statewright_audience: Type.String({ minLength: 1 }),
  statewright_client_id: Type.String({ minLength: 1 }),
})
export type ProtectedResource = Static<typeof ProtectedResource>

interface ProtectedResourceDeps {
  readonly publicUrl: () => string
  /** `cliClientId`: the public client of the command line at the identity provider. */
  readonly oidc: Readonly<Record<'issuer' | 'audience' | 'cliClientId', string>>
  readonly version: string
}

/** Of a machine that forwards a port: whoever asks there reaches this server under that name alone. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/

export function protectedResourceRoute(app: HttpApp, deps: ProtectedResourceDeps): void {
  const schema = {
    summary: 'Where a person signs in (RFC 9728)',
    response: { 200: ProtectedResource },
  }
  app.get(protectedResourcePath, { schema }, async ({ host }, reply) => {
    void reply.header('cache-control', 'no-cache')
    return {
      resource: loopback.test(host) ? `http://${host}` : deps.publicUrl(),
      resource_name: 'Statewright orchestrator',
      authorization_servers: [deps.oidc.issuer],
      bearer_methods_supported: ['header'],
      statewright_version: deps.version,
      statewright_audience: deps.oidc.audience,
      statewright_client_id: deps.oidc.cliClientId,
    }
  })
}
