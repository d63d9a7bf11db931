import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, jwtVerify, SignJWT, type JWK, type JWTPayload } from 'jose'
import type { Clock } from '../ports.ts'
import { unauthenticated, type Principal } from './authenticate.ts'
import { CLOCK_TOLERANCE_SECONDS, toPrincipal } from './claims.ts'

/** An Ed25519 key of our own, for tokens that we both sign and verify. `kid` is its RFC 7638 thumbprint. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly publicJwk: JWK
}

interface TokenContent {
  readonly issuer: string
  readonly audience: string
  readonly subject: string
  /** `jti`: names this one token. */
  readonly id: string
  readonly expiresInSeconds: number
  /** Beside the registered ones, which can't be overwritten here. */
  readonly claims?: Readonly<Record<string, unknown>>
}

interface ExpectedToken {
  readonly issuer: string
  readonly audience: string
}

const ALGORITHM = 'EdDSA'

/** A new key as PKCS #8 PEM, for a Secret or a file of mode 0600. */
export function generateSigningKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

export async function importSigningKey(pem: string): Promise<SigningKey> {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the signing key must be an Ed25519 private key')
  const publicKey = createPublicKey(privateKey)
  const bare = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(bare)
  return { kid, privateKey, publicKey, publicJwk: { ...bare, kid, alg: ALGORITHM, use: 'sig' } }
}

export async function signToken(key: SigningKey, clock: Clock, content: TokenContent): Promise<string> {
  const now = seconds(clock)
  return new SignJWT({ ...content.claims } as JWTPayload)
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(content.issuer)
    .setAudience(content.audience)
    .setSubject(content.subject)
    .setJti(content.id)
    .setIssuedAt(now)
    .setExpirationTime(now + content.expiresInSeconds)
    .sign(key.privateKey)
}

/** Takes tokens of any of the keys, so that a key can be changed while tokens of the old one live. */
export async function verifyToken(
  keys: readonly SigningKey[],
  clock: Clock,
  expected: ExpectedToken,
  token: string,
): Promise<Principal> {
  try {
    const { payload } = await jwtVerify(token, (header) => keyOf(keys, header.kid), {
      ...expected,
      algorithms: [ALGORITHM],
      typ: 'at+jwt',
      requiredClaims: ['iss', 'aud', 'sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    })
    return toPrincipal(payload)
  } catch (error) {
    throw unauthenticated('the token is not valid for this server', true, error)
  }
}

function keyOf(keys: readonly SigningKey[], kid: string | undefined): KeyObject {
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) throw new Error('unknown key')
  return key.publicKey
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
