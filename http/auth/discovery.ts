import { Type, type Static } from 'typebox'
import { fetchJson } from '../fetch-json.ts'
import type { Clock, Fetch } from '../ports.ts'

const Metadata = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  token_endpoint: Type.String(),
  /** Browsers are led there. */
  authorization_endpoint: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Browsers that sign out are led there. What is no address there costs only that, never every token. */
  end_session_endpoint: Type.Optional(Type.Unknown()),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
})

/** What we need of a provider's published configuration (OpenID Connect Discovery 1.0, section 3). */
export type IssuerMetadata = Readonly<Static<typeof Metadata>>

/** Reads `<issuer>/.well-known/openid-configuration`; a document that names another issuer is refused. */
export async function discoverIssuer(issuer: string, clock: Clock, fetch: Fetch): Promise<IssuerMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = await fetchJson({ url, schema: Metadata, clock, fetch })
  if (metadata.issuer !== issuer) throw new Error(`${url} names the issuer ${metadata.issuer}, not ${issuer}`)
  return metadata
}
