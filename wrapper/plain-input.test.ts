import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureLog, testClock } from '../http/testing/fixture.ts'
import type { HttpServer } from '../http/server.ts'
import { createInternalServer } from './internal-server.ts'
import { createModelServer } from './sockets/model-server.ts'
import { createWrapperServer, type WrapperServerOptions } from './server.ts'

const shared = {
  ...captureLog(),
  clock: testClock(),
  ids: { next: () => 'id' },
  metrics: { statuslineReport: () => undefined, exposeIn: () => undefined },
  onAccountUsage: () => undefined,
}
const servers = new Map<string, HttpServer>()
const urls = new Map<string, string>()

/** The three listeners of a pod, with nothing behind them: what they refuse reaches nothing. */
beforeAll(async () => {
  const api = { ...shared, runner: { isStopping: false, turns: [] }, authenticate: async () => ({}) }
  servers.set('api', await createWrapperServer(api as unknown as WrapperServerOptions))
  servers.set(
    'loopback',
    await createInternalServer({ ...shared, gitKey: 'git', usageKey: 'usage', credential: () => 'never' }),
  )
  servers.set('model', await createModelServer({ ...shared, model: {} as never }))
  for (const [name, server] of servers) urls.set(name, (await server.listen({ host: '127.0.0.1', port: 0 })).url)
})
afterAll(() => Promise.all([...servers.values()].map((server) => server.close({ graceMs: 0 }))))

test.each([
  ['api', '/v1/messages/%00'],
  ['api', '/v1/messages/%ED%A0%80'],
  ['api', '/v1/messages?cursor=%00'],
  ['loopback', '/k/%00/internal/credential'],
  ['loopback', '/k/git/internal/credential?%00'],
  ['model', '/v1/%00'],
  ['model', '/internal/account-usage?a=%00'],
])('%s: %s is 400 (HTTP-17)', async (name, path) => {
  for (const method of ['GET', 'POST']) expect((await fetch(`${urls.get(name)}${path}`, { method })).status).toBe(400)
})

test.each([
  ['api', '/v1/messages'],
  ['api', '/v1/probe'],
  ['loopback', '/k/git/internal/credential'],
  ['model', '/internal/account-usage'],
])('%s: %s takes no odd key and no deep JSON (HTTP-18)', async (name, path) => {
  for (const body of ['{"\\u0000":1}', '{"\\ud800":1}', `{"text":${'['.repeat(70)}${']'.repeat(70)}}`]) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${urls.get(name)}${path}`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed-request' })
  }
})

test('a probe with an odd id is refused (HTTP-19)', async () => {
  for (const probeId of ['a\u0000', '\ud800']) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ probeId, text: 'Are you there?' })
    expect((await fetch(`${urls.get('api')}/v1/probe`, { method: 'POST', headers, body })).status).toBe(400)
  }
})

test('a probe has a text of 1 to 9,000 characters and an id of 1 to 200 (PROBE-3)', async () => {
  const headers = { 'content-type': 'application/json' }
  const asked = async (text: number, probeId: number): Promise<number> => {
    const body = JSON.stringify({ text: 'x'.repeat(text), probeId: 'p'.repeat(probeId) })
    return (await fetch(`${urls.get('api')}/v1/probe`, { method: 'POST', headers, body })).status
  }
  // No turn is in flight here: a probe that is accepted as input is a conflict.
  expect([await asked(1, 1), await asked(9000, 200)]).toEqual([409, 409])
  expect([await asked(0, 1), await asked(9001, 1), await asked(1, 0), await asked(1, 201)]).toEqual([
    400, 400, 400, 400,
  ])
})
