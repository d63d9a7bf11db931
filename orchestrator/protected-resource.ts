/**
 * `GET /.well-known/oauth-protected-resource` (RFC 9728): where a person signs in, and for what. It lets `statewright login`
 * begin with the address alone. The names that begin with `statewright_` are ours (RFC 9728 2: others ignore them).
 */
import { Type, type Static } from 'typebox'
import type { HttpApp } from '../http/app.ts'

export const protectedResourcePath = '/.well-known/oauth-protected-resource'

export const ProtectedResource = Type.Object({
  /** Origin of this server, as it was asked or as `PUBLIC_URL` has it. */
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

export function protectedResourceRoute(app: HttpApp, deps: ProtectedResourceDeps): void {
  const schema = {
    summary: 'Where a person signs in (RFC 9728)',
    response: { 200: ProtectedResource },
  }
  app.get(protectedResourcePath, { schema }, async (_request, reply) => {
    void reply.header('cache-control', 'no-cache')
    return {
      resource: deps.publicUrl(),
      resource_name: 'Statewright orchestrator',
      authorization_servers: [deps.oidc.issuer],
      bearer_methods_supported: ['header'],
      statewright_version: deps.version,
      statewright_audience: deps.oidc.audience,
      statewright_client_id: deps.oidc.cliClientId,
    }
  })
}
