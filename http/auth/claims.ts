import type { JWTPayload } from 'jose'
import type { Principal } from './authenticate.ts'

/** HTTP-RULE-4: clocks of two hosts may differ by so much. */
export const CLOCK_TOLERANCE_SECONDS = 60

/** Every asymmetric algorithm of JOSE that may be allowed; symmetric ones and `none` can't even be asked for. */
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const
export type AsymmetricAlgorithm = (typeof asymmetricAlgorithms)[number]

export function isAsymmetric(name: string): name is AsymmetricAlgorithm {
  return (asymmetricAlgorithms as readonly string[]).includes(name)
}

/** HTTP-RULE-3. `Ed25519` is RFC 9864's fully specified name of what `EdDSA` nearly always means. */
export const defaultAlgorithms: readonly AsymmetricAlgorithm[] = [
  'RS256',
  'PS256',
  'ES256',
  'ES384',
  'EdDSA',
  'Ed25519',
]

/** Of a payload that was verified with `sub` and `iss` required. */
export function toPrincipal(payload: JWTPayload): Principal {
  return { subject: payload.sub ?? '', issuer: payload.iss ?? '', claims: payload }
}
