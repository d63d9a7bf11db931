import { describe, expect, it } from 'vitest'
import { generateSigningKeyPem, importSigningKey, signToken } from '../../http/auth/tokens.ts'
import { testClock } from '../../http/testing/fixture.ts'
import { podTokens, tokenLifetimeSeconds, type PodClaims } from './pod-tokens.ts'

const claims: PodClaims = {
  project: 'default/demo',
  projectUid: 'uid-of-demo',
  task: 'default/implement-lib-1-x7k2p',
  pod: 2,
  agentKind: 'implement',
}
const ours = {
  issuer: 'statewright-orchestrator',
  audience: 'statewright-agents',
  subject: `${claims.task}/2`,
  id: 'a-token',
  expiresInSeconds: 60,
}
const invalid = { code: 'unauthenticated', status: 401 }

const key = await importSigningKey(generateSigningKeyPem())

describe('the token of a pod', () => {
  it('says what pod it is, and nothing else is taken from it', async () => {
    const tokens = podTokens(key, testClock(), { next: () => 'a-token' })
    expect(await tokens.verify(await tokens.mint(claims, 60))).toEqual(claims)
  })

  it('names issuer, audience, subject, end, id, Project, Task, pod and kind (POD-TOKEN-1, AGENT-API-3)', async () => {
    const clock = testClock()
    const token = await podTokens(key, clock, { next: () => 'a-token' }).mint(claims, 60)
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString('utf8'))
    const { issuer: iss, audience: aud, subject: sub } = ours
    expect(payload).toMatchObject({
      iss,
      aud,
      sub,
      jti: 'a-token',
      exp: Math.floor(clock.now() / 1000) + 60,
      ...claims,
    })
  })

  it('of before the uid of the Project was in it is read without one (POD-TOKEN-6)', async () => {
    const clock = testClock()
    const { projectUid: _, ...old } = claims
    const token = await signToken(key, clock, { ...ours, claims: old })
    expect(await podTokens(key, clock, { next: () => 'a-token' }).verify(token)).toEqual(old)
  })

  it('is refused once it has expired, after the tolerance of a minute for another clock', async () => {
    const clock = testClock()
    const tokens = podTokens(key, clock, { next: () => 'a-token' })
    const token = await tokens.mint(claims, 60)
    clock.advance(119_000)
    expect(await tokens.verify(token)).toEqual(claims)
    clock.advance(2_000)
    await expect(tokens.verify(token)).rejects.toMatchObject(invalid)
  })

  it('of another installation is refused', async () => {
    const foreign = podTokens(await importSigningKey(generateSigningKeyPem()), testClock(), { next: () => 'a-token' })
    await expect(
      podTokens(key, testClock(), { next: () => 'a-token' }).verify(await foreign.mint(claims, 60)),
    ).rejects.toMatchObject(invalid)
  })

  it.each<[string, Partial<typeof ours>]>([
    ['for another audience', { audience: 'urn:statewright:operator' }],
    ['by another issuer', { issuer: 'statewright-memory' }],
  ])('%s is refused, though our key signed it', async (_what, change) => {
    const clock = testClock()
    const token = await signToken(key, clock, { ...ours, ...change, claims })
    await expect(podTokens(key, clock, { next: () => 'a-token' }).verify(token)).rejects.toMatchObject(invalid)
  })

  it.each<[string, object]>([
    ['no Task', { ...claims, task: undefined }],
    ['no number of a pod', { ...claims, pod: undefined }],
    ['a pod that never was', { ...claims, pod: 0 }],
    ['a pod as text', { ...claims, pod: '2' }],
    ['an unknown agent kind', { ...claims, agentKind: 'clarify' }],
    ['an empty uid', { ...claims, projectUid: '' }],
    ['a uid that is no text', { ...claims, projectUid: 7 }],
    ['no project', { ...claims, project: undefined }],
  ])('with %s is none, though our key signed it', async (_what, wrong) => {
    const clock = testClock()
    const token = await signToken(key, clock, {
      ...ours,
      claims: JSON.parse(JSON.stringify(wrong)) as Record<string, unknown>,
    })
    await expect(podTokens(key, clock, { next: () => 'a-token' }).verify(token)).rejects.toMatchObject(invalid)
  })

  it('is refused when a claim or the signature was changed, or the algorithm is none', async () => {
    const tokens = podTokens(key, testClock(), { next: () => 'a-token' })
    const [head = '', body = '', signature = ''] = (await tokens.mint(claims, 60)).split('.')
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = [
      `${head}.${encode({ ...payload, task: 'default/another' })}.${signature}`,
      `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`,
      `${head}.${body}`,
      'not a token',
      '',
    ]
    for (const token of forged) await expect(tokens.verify(token)).rejects.toMatchObject(invalid)
  })

  it('outlives its pod by the boot budget and never ends before it (POD-TOKEN-2) (AGENT-API-4)', () => {
    const hardCap = 3600 + 2 * 1800 + 60
    expect(tokenLifetimeSeconds({ agentPodTTLSeconds: 3600, turnTimeoutSeconds: 1800 })).toBe(hardCap + 15 * 60)
  })
})
