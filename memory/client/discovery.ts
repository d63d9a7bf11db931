import { Type } from 'typebox'
import { fetchJson } from '../../http/fetch-json.ts'
import type { Clock, Fetch } from '../../http/ports.ts'

const Discovery = Type.Object({
  issuer: Type.String(),
  token_endpoint: Type.String({ pattern: '^https?://' }),
  device_authorization_endpoint: Type.Optional(Type.String({ pattern: '^https?://' })),
})

export interface Provider {
  readonly tokenUrl: string
  readonly deviceUrl?: string
}

/** OpenID Connect Discovery 1.0: where a provider's endpoints are. */
export async function discover(issuer: string, { fetch, clock }: { fetch: Fetch; clock: Clock }): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = await fetchJson({ url, schema: Discovery, clock, fetch })
  if (found.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
    throw new Error(`${issuer} names itself ${found.issuer}`)
  const device = found.device_authorization_endpoint
  return { tokenUrl: found.token_endpoint, ...(device === undefined ? {} : { deviceUrl: device }) }
}
