import { decodeJwt } from 'jose'
import { unauthenticated, type VerifyToken } from './authenticate.ts'

/** Several issuers on one route (people's tokens and pods' own): the unproven `iss` only picks who has to prove it. */
export function verifyByIssuer(verifiers: Readonly<Record<string, VerifyToken>>): VerifyToken {
  return async (token) => {
    const issuer = issuerOf(token)
    const verify = issuer !== undefined && Object.hasOwn(verifiers, issuer) ? verifiers[issuer] : undefined
    if (verify === undefined) throw unauthenticated('the token comes from no issuer that is known here', true)
    return verify(token)
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
