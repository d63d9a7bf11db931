import { expect, test } from 'vitest'
import { captureLog, testClock } from '../testing/fixture.ts'
import { knownIssuer } from './known-issuer.ts'

const issuer = 'https://id.example'
const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('a provider that is away is asked again until it answers, and its answer is kept', async () => {
  const clock = testClock()
  const { logger, lines } = captureLog()
  let isAway = true
  let asked = 0
  const fetch = async (): Promise<Response> => {
    asked += 1
    if (isAway) throw new TypeError('fetch failed')
    return Response.json(metadata)
  }
  const known = knownIssuer({ issuer, clock, fetch, logger, random: () => 0.5 })
  await settled()
  expect(known.missing()).toHaveLength(1)
  await expect(known.metadata()).rejects.toThrow('fetch failed')
  isAway = false
  clock.advance(5_000)
  await settled()
  expect(known.missing()).toEqual([])
  const before = asked
  expect((await known.metadata()).token_endpoint).toBe(`${issuer}/token`)
  clock.advance(60_000)
  await settled()
  expect(asked).toBe(before)
  expect(lines().map(({ msg }) => msg)).toEqual([
    'the identity provider does not answer; the server retries',
    'the identity provider answers now',
  ])
})

test('one that is stopped asks nobody any more', async () => {
  const clock = testClock()
  let asked = 0
  const fetch = async (): Promise<Response> => {
    asked += 1
    throw new TypeError('fetch failed')
  }
  const known = knownIssuer({ issuer, clock, fetch, logger: captureLog().logger, random: () => 0.5 })
  await settled()
  known.stop()
  clock.advance(60_000)
  await settled()
  expect(asked).toBe(1)
})
