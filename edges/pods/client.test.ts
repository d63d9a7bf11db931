import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { RetryableError } from '../../runtime/errors.ts'
import { testClock } from '../../http/testing/fixture.ts'
import { createWrapperClient } from './client.ts'
import { anEndedTurn, aTurn, startedAt, withWrapper } from './testing/scripted-wrapper.ts'
import { testInside } from '../../testing/inside.ts'

const message = { key: 'default/task/1/1', text: 'Do it', handoff: false }

const it = testInside(withWrapper)

describe('submitting a turn', () => {
  it('gives its id, under the key it was asked with', async ({ client, url, requests }) => {
    expect(await client.submit(url, message)).toEqual({ kind: 'accepted', turnId: 'turn-1' })
    expect(requests).toEqual([
      { route: 'POST /v1/messages', body: { text: 'Do it', handoff: false }, key: 'default/task/1/1' },
    ])
  })

  it('says that another turn runs (409) or that the pod takes no more (410)', async (wrapper) => {
    wrapper.turns.push(aTurn('other'))
    expect(await wrapper.client.submit(wrapper.url, message)).toEqual({ kind: 'conflict' })
    wrapper.turns.pop()
    wrapper.expired = true
    expect(await wrapper.client.submit(wrapper.url, message)).toEqual({ kind: 'expired' })
    expect(await wrapper.client.submit(wrapper.url, { ...message, handoff: true })).toMatchObject({
      kind: 'accepted',
    })
  })
})

it('turns are read as they are, and one that the wrapper does not know is undefined', async (fixture) => {
  const { client, url, turns } = fixture
  const ended = anEndedTurn('a/b')
  turns.push(ended)
  expect(await client.turns(url)).toEqual([{ turnId: 'a/b', state: 'completed', startedAt: ended.startedAt }])
  expect(await client.turn(url, 'a/b')).toEqual(ended)
  expect(await client.turn(url, 'unknown')).toBeUndefined()
})

it('a probe without a turn and an interrupt without a terminal are answers, not failures', async (wrapper) => {
  const { client, url } = wrapper
  expect(await client.probe(url, '1', 'Still there?')).toBe(false)
  wrapper.turns.push(aTurn('turn-1'))
  expect(await client.probe(url, '2', 'Still there?')).toBe(true)
  expect(await client.interrupt(url)).toBe(true)
  wrapper.hasTerminal = false
  expect(await client.interrupt(url)).toBe(false)
})

it('a session is read, and ended', async (wrapper) => {
  expect(await wrapper.client.session(wrapper.url)).toEqual(wrapper.session)
  await wrapper.client.stop(wrapper.url)
  expect(wrapper.stopped).toBe(true)
  wrapper.faults.push('not-found')
  await wrapper.client.stop(wrapper.url)
})

it.for([
  ['of this release', (session: object) => session, 4],
  ['with fields that nobody knows', (session: object) => ({ ...session, contractVersion: 5, mood: 'fine' }), 5],
  ['without the fields of this release', () => ({ contractVersion: 3 }), 3],
  ['without a version', () => ({ state: 'idle' }), null],
  ['whose version is null', () => ({ contractVersion: null }), null],
  ['whose version is no integer', () => ({ contractVersion: 'four' }), null],
  ['that is no object', () => [4], null],
])(
  'the contract version is read from a session %s (VERSIONING-6)',
  async ([, spoken, version], { client, url, session, nonsense }) => {
    nonsense.push(spoken(session))
    expect(await client.contractVersion(url)).toBe(version)
  },
)

it.for([
  ['whole', { kind: 'model-silent', since: startedAt, pings: 3 }, true],
  ['of a kind that nobody knows', { kind: 'moon', since: startedAt }, false],
  ['with words of its own', { kind: 'screen-still', since: startedAt, words: '\u001b[2J' }, false],
  ['without its time', { kind: 'screen-still', since: 'now' }, false],
])(
  'a hindrance %s is read from a session of any release, or none is (SESSION-4)',
  async ([, hindrance, isRead], { client, url, session, nonsense }) => {
    nonsense.push({ ...session, mood: 'fine', hindrance })
    expect(await client.hindrance(url)).toEqual(isRead ? hindrance : undefined)
    expect(await client.hindrance(url)).toBeUndefined()
  },
)

test('of a session that does not end only its first 64 KiB are read', async () => {
  const server = createServer((_request, response) => {
    response.write('{"mood": "')
    const more = (): unknown => !response.destroyed && response.write('x'.repeat(16_384), more)
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = createWrapperClient({ fetch, token: async () => 'good', clock: testClock(), timeoutMs: 60_000 })
  await expect(client.hindrance(`http://127.0.0.1:${port}`)).rejects.toThrow(RetryableError)
  server.closeAllConnections()
  server.close()
})

describe('what is asked again later', () => {
  it.for(['internal', 'not-ready', 'too-many-requests', 'unauthenticated'] as const)(
    'an answer of %s',
    async (fault, wrapper) => {
      wrapper.faults.push(fault)
      await expect(wrapper.client.submit(wrapper.url, message)).rejects.toThrow(RetryableError)
      expect(wrapper.turns).toEqual([])
    },
  )

  it('an answer that breaks its schema, said by its place', async (wrapper) => {
    wrapper.nonsense.push({ ...wrapper.session, lastActivityAt: 4 })
    const asked = wrapper.client.session(wrapper.url)
    await expect(asked).rejects.toThrow(RetryableError)
    await expect(asked).rejects.toThrow('/lastActivityAt')
  })

  it('a refused token', async ({ url, clock }) => {
    const client = createWrapperClient({ fetch, token: async () => 'old', clock, timeoutMs: 1_000 })
    await expect(client.session(url)).rejects.toThrow('the wrapper answered 401 to GET /v1/session')
  })

  test('nobody who listens, with the cause', async () => {
    const client = createWrapperClient({ fetch, token: async () => 'good', clock: testClock(), timeoutMs: 1_000 })
    const error: unknown = await client.session('http://127.0.0.1:1').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RetryableError)
    expect((error as Error).cause).toBeInstanceOf(Error)
  })

  test.each([
    ['says nothing', false],
    ['begins and never ends its answer', true],
  ])('a wrapper that %s, once the time is up', async (_what, begins) => {
    const asked = vi.fn()
    const server = createServer((_request, response) => {
      if (begins) response.writeHead(200, { 'content-type': 'application/json' }).write('{"state":')
      asked()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const clock = testClock()
    const client = createWrapperClient({ fetch, token: async () => 'good', clock, timeoutMs: 1_000 })
    const answer = client.session(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    answer.catch(() => undefined)
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    clock.advance(1_000)
    await expect(answer).rejects.toThrow(RetryableError)
    server.closeAllConnections()
    server.close()
  })
})
