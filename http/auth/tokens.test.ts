import { decodeProtectedHeader } from 'jose'
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { testClock, type TestClock } from '../testing/fixture.ts'
import { generateSigningKeyPem, importSigningKey, signToken, verifyToken, type SigningKey } from './tokens.ts'

const expected = { issuer: 'urn:orchestrator', audience: 'urn:operator' }
const content = { ...expected, subject: 'pod:a/1', id: 'a-token', expiresInSeconds: 600, claims: { task: 'a', pod: 1 } }

async function fixture(): Promise<{ key: SigningKey; other: SigningKey; clock: TestClock }> {
  const [key, other] = await Promise.all([
    importSigningKey(generateSigningKeyPem()),
    importSigningKey(generateSigningKeyPem()),
  ])
  return { key, other, clock: testClock() }
}

test('a token of ours verifies and gives back what was put in', async () => {
  const { key, clock } = await fixture()
  const principal = await verifyToken([key], clock, expected, await signToken(key, clock, content))
  expect(principal).toMatchObject({ subject: 'pod:a/1', issuer: 'urn:orchestrator', claims: { task: 'a', pod: 1 } })
})

test('claims of the case never overwrite the registered ones', async () => {
  const { key, clock } = await fixture()
  const token = await signToken(key, clock, { ...content, claims: { sub: 'pod:b/1', exp: 9e9, aud: 'urn:other' } })
  expect(await verifyToken([key], clock, expected, token)).toMatchObject({
    subject: 'pod:a/1',
    claims: { aud: 'urn:operator' },
  })
})

test('it expires, 60 s of clock difference allowed (HTTP-RULE-4)', async () => {
  const { key, clock } = await fixture()
  const token = await signToken(key, clock, content)
  clock.advance(659_000)
  await expect(verifyToken([key], clock, expected, token)).resolves.toBeDefined()
  clock.advance(2_000)
  await expect(verifyToken([key], clock, expected, token)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('another key, audience or issuer, or a changed token, is refused', async () => {
  const { key, other, clock } = await fixture()
  const token = await signToken(key, clock, content)
  const [head, body, signature] = token.split('.')
  const forged = [
    head,
    Buffer.from(
      JSON.stringify({ ...content, sub: 'pod:b/1', iss: 'urn:orchestrator', aud: 'urn:operator', exp: 9e9 }),
    ).toString('base64url'),
    signature,
  ].join('.')
  const attempts = [
    () => verifyToken([other], clock, expected, token),
    () => verifyToken([key], clock, { ...expected, audience: 'urn:memory' }, token),
    () => verifyToken([key], clock, { ...expected, issuer: 'urn:else' }, token),
    () => verifyToken([key], clock, expected, forged),
    () => verifyToken([key], clock, expected, `${head}.${body}.`),
    () => verifyToken([key], clock, expected, 'not a token'),
  ]
  for (const attempt of attempts)
    await expect(attempt()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
})

test('while a key is changed, tokens of the old and of the new one verify', async () => {
  const { key, other, clock } = await fixture()
  const token = await signToken(key, clock, content)
  await expect(verifyToken([other, key], clock, expected, token)).resolves.toMatchObject({ subject: 'pod:a/1' })
})

test('the published half of the key holds nothing private and the id of the token names it', async () => {
  const { key, clock } = await fixture()
  expect(Object.keys(key.publicJwk).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  expect(decodeProtectedHeader(await signToken(key, clock, content))).toEqual({
    alg: 'EdDSA',
    kid: key.kid,
    typ: 'at+jwt',
  })
})

test('a key that is not Ed25519 is refused when it is loaded', async () => {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string
  await expect(importSigningKey(pem)).rejects.toThrow('Ed25519')
})
