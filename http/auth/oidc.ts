import { Type } from 'typebox'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { fetchJson } from '../fetch-json.ts'
import type { Clock, Fetch } from '../ports.ts'
import { Problem } from '../problems/problem.ts'
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
  /**
   * The accepted values of `typ`: `at+jwt` of RFC 9068, `JWT` of Keycloak, Entra ID and others, `none` for a token
   * without. Absent: any.
   */
  readonly types?: readonly string[]
  /** Refuse a token that does not name its key. */
  readonly needsKeyId?: boolean
}

/** Verifies access tokens of an OpenID provider: 401 for a bad token, 503 while no key can be had. */
export function oidcVerifier(options: OidcOptions): VerifyToken {
  const algorithms = options.algorithms ?? defaultAlgorithms
  const keys = new KeySet(options.clock, () => loadKeys(options))
  return async (token) => {
    try {
      refuseBeforeLookUp(token, { ...options, algorithms })
      const { payload } = await jwtVerify(token, keys.keyFor, {
        issuer: options.issuer,
        audience: options.audience,
        algorithms: [...algorithms],
        requiredClaims: ['iss', 'aud', 'sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(options.clock.now()),
      })
      if (payload.sub === '') throw new errors.JWTClaimValidationFailed('the subject is empty', payload, 'sub')
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
function refuseBeforeLookUp(
  token: string,
  {
    algorithms,
    types,
    needsKeyId,
  }: Pick<OidcOptions, 'types' | 'needsKeyId'> & { readonly algorithms: readonly string[] },
): void {
  const { alg, kid, typ } = decodeProtectedHeader(token)
  if (alg === undefined || !algorithms.includes(alg)) throw new errors.JOSEAlgNotAllowed('algorithm not allowed')
  if (needsKeyId === true && (typeof kid !== 'string' || kid === '')) throw new errors.JWTInvalid('no key is named')
  if (types !== undefined && !types.map(mediaType).includes(mediaType(typ ?? noType)))
    throw new ForeignTypeError('type not accepted')
}

const noType = 'none'

/** RFC 7515 section 4.1.9: case does not count, and `application/` may be left out. */
function mediaType(typ: unknown): string {
  return String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
}

class ForeignTypeError extends Error {
  override readonly name = 'ForeignTypeError'
}

function refusal(error: unknown): Problem {
  if (error instanceof KeysUnavailableError) {
    return new Problem('identity-unavailable', '', { headers: { 'retry-after': '2' }, cause: error })
  }
  if (error instanceof errors.JWTExpired) return unauthenticated('the token has expired', true, error)
  if (error instanceof errors.JWTClaimValidationFailed) {
    return unauthenticated(`the claim ${error.claim} of the token is missing or wrong`, true, error)
  }
  if (error instanceof ForeignTypeError)
    return unauthenticated('the token is not an access token: this server does not accept its `typ`', true, error)
  return unauthenticated('the token is not valid for this server', true, error)
}
