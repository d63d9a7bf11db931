import { Type } from 'typebox'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { fetchJson } from '../fetch-json.ts'
import type { Clock, Fetch } from '../ports.ts'
import { Problem } from '../problem.ts'
import { unauthenticated, type VerifyToken } from './authenticate.ts'
import { CLOCK_TOLERANCE_SECONDS, defaultAlgorithms, toPrincipal, type AsymmetricAlgorithm } from './claims.ts'
import { discoverIssuer } from './discovery.ts'
import { KeySet, KeysUnavailableError } from './key-set.ts'

export interface OidcOptions {
  /** Compared exactly with `iss`. */
  readonly issuer: string
  readonly audience: string
  readonly clock: Clock
  readonly fetch: Fetch
  /** Where the keys are; found by discovery when absent. */
  readonly jwksUri?: string
  readonly algorithms?: readonly AsymmetricAlgorithm[]
  /** `at+jwt` where the provider follows RFC 9068; absent: any, since several say `JWT`. */
  readonly typ?: string
}

/** Verifies access tokens of an OpenID provider: 401 for a bad token, 503 while no key can be had. */
export function oidcVerifier(options: OidcOptions): VerifyToken {
  const algorithms = options.algorithms ?? defaultAlgorithms
  const keys = new KeySet(options.clock, () => loadKeys(options))
  return async (token) => {
    try {
      refuseForeignAlgorithm(token, algorithms)
      const { payload } = await jwtVerify(token, keys.keyFor, {
        issuer: options.issuer,
        audience: options.audience,
        algorithms: [...algorithms],
        requiredClaims: ['iss', 'aud', 'sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(options.clock.now()),
        ...(options.typ === undefined ? {} : { typ: options.typ }),
      })
      return toPrincipal(payload)
    } catch (error) {
      throw refusal(error)
    }
  }
}

const KeyDocument = Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() })) })

async function loadKeys({ issuer, jwksUri, clock, fetch }: OidcOptions): Promise<unknown> {
  const url = jwksUri ?? (await discoverIssuer(issuer, clock, fetch)).jwks_uri
  return fetchJson({ url, schema: KeyDocument, clock, fetch })
}

/** Before any look-up: a token that can't be good must not make us ask anyone. */
function refuseForeignAlgorithm(token: string, algorithms: readonly string[]): void {
  const { alg } = decodeProtectedHeader(token)
  if (alg === undefined || !algorithms.includes(alg)) throw new errors.JOSEAlgNotAllowed('algorithm not allowed')
}

function refusal(error: unknown): Problem {
  if (error instanceof KeysUnavailableError) {
    return new Problem('identity-unavailable', '', { headers: { 'retry-after': '2' }, cause: error })
  }
  if (error instanceof errors.JWTExpired) return unauthenticated('the token has expired', true, error)
  if (error instanceof errors.JWTClaimValidationFailed) {
    return unauthenticated(`the claim ${error.claim} of the token is missing or wrong`, true, error)
  }
  return unauthenticated('the token is not valid for this server', true, error)
}
