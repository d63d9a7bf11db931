import { connect } from 'node:net'
import { once } from 'node:events'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { HttpApp } from './app.ts'
import { Problem } from './problems/problem.ts'
import { withServer, type TestServer } from './testing/fixture.ts'
import { testInside } from '../testing/inside.ts'

const Thing = Type.Object(
  { n: Type.Integer(), mode: Type.Union([Type.Literal('a'), Type.Literal('b')]) },
  { additionalProperties: false },
)

function declareThings(app: HttpApp): void {
  const params = Type.Object({ id: Type.Integer() })
  const querystring = Type.Object({ deep: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
  const headers = Type.Object({ 'x-level': Type.Optional(Type.Integer()) })
  app.post('/things/:id', { schema: { params, querystring, headers, body: Thing } }, async (request) => {
    return { id: request.params.id, deep: request.query.deep, level: request.headers['x-level'], n: request.body.n }
  })
  app.get('/things/:id', async () => ({}))
  app.delete('/things/:id', async (_request, reply) => reply.code(204).send())
  app.post('/queries::data', async () => ({ ok: true }))
}

async function send(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
}

const it = testInside<[TestServer]>((use) => withServer(declareThings, use))

describe('input', () => {
  it('is decoded by its schemas: path, query and headers from text, the body as it is', async ({ url }) => {
    const answer = await send(`${url}/things/7?deep=true`, '{"n":1,"mode":"a"}', { 'X-Level': '3' })
    expect(await answer.json()).toEqual({ id: 7, deep: true, level: 3, n: 1 })
  })

  it('that breaks its schema is 400 with every fault of every part (MEMORY-ERRORS-3, HTTP-1, HTTP-4)', async (fixture) => {
    const { url } = fixture
    const answer = await send(`${url}/things/x?deep=yes&wide=1`, '{"n":"1","mode":"c","k":true}', {
      'x-level': 'high',
    })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(((await answer.json()) as { errors: object[] }).errors).toEqual([
      { in: 'path', path: '/id', message: 'must be integer' },
      { path: '/k', message: 'is not a known field' },
      { path: '/mode', message: 'must be one of "a", "b"' },
      { path: '/n', message: 'must be integer' },
      { in: 'query', path: '/deep', message: 'must be boolean' },
      { in: 'query', path: '/wide', message: 'is not a known field' },
      { in: 'header', path: '/x-level', message: 'must be integer' },
    ])
  })

  it.for([
    ['no body', '', 'invalid-input'],
    ['broken JSON', '{"n":', 'malformed-request'],
    ['a key that would reach a prototype', '{"n":1,"mode":"a","__proto__":{"x":1}}', 'malformed-request'],
    ['null', 'null', 'invalid-input'],
    ['a list', '[]', 'invalid-input'],
    ['half an integer', '{"n":1.5,"mode":"a"}', 'invalid-input'],
  ])('%s is 400', async ([, body, code], { url }) => {
    const answer = await send(`${url}/things/1`, body)
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([400, code])
  })

  it('that is not UTF-8 is 400', async ({ url }) => {
    const body = Buffer.from([0x22, 0xff, 0x22])
    const answer = await fetch(`${url}/things/1`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await answer.json()).toMatchObject({ code: 'malformed-request', detail: 'the body is not UTF-8' })
  })

  it('of another content type is 415 (MEMORY-ERRORS-6)', async ({ url }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
      expect((await send(`${url}/things/1`, 'a=b', { 'content-type': type })).status).toBe(415)
    }
  })

  test('above the limit is 413, whether its length is said or not (MEMORY-ERRORS-7)', async () => {
    await withServer(
      declareThings,
      async ({ url }) => {
        const said = await send(`${url}/things/1`, 'x'.repeat(6 * 1024 * 1024))
        expect(await said.json()).toMatchObject({
          ...{ status: 413, code: 'body-too-large' },
          detail: 'The body is too large: at most 1,000 bytes',
        })
        const stream = new Blob(['x'.repeat(2_000)]).stream()
        const init = {
          method: 'POST',
          body: stream,
          duplex: 'half',
          headers: { 'content-type': 'application/json' },
        } as RequestInit
        expect((await fetch(`${url}/things/1`, init)).status).toBe(413)
      },
      { bodyLimit: 1_000 },
    )
  })

  it('has at most 1 MiB where no other limit is said (HTTP-15)', async ({ url }) => {
    const thing = '{"n": 1, "mode": "a"}'
    const padded = (size: number): string => thing.padEnd(size)
    expect((await send(`${url}/things/1`, padded(1024 * 1024))).status).toBe(200)
    expect((await send(`${url}/things/1`, padded(1024 * 1024 + 1))).status).toBe(413)
  })

  test('keeps its bytes on routes that ask for them', async () => {
    const text = '{ "a" : "ä" }'
    await withServer(
      (app) => {
        app.post('/raw', { config: { rawBody: true } }, async (request) => ({ raw: request.rawBody?.toString() }))
        app.post('/parsed', async (request) => ({ raw: request.rawBody?.toString(), body: request.body }))
      },
      async ({ url }) => {
        expect(await (await send(`${url}/raw`, text)).json()).toEqual({ raw: text })
        expect(await (await send(`${url}/parsed`, text)).json()).toEqual({ body: { a: 'ä' } })
      },
    )
  })
})

describe('paths', () => {
  it('that exist under another method are 405 with Allow, HEAD included where GET is (MEMORY-ERRORS-6, HTTP-5)', async (fixture) => {
    const { url } = fixture
    const answer = await fetch(`${url}/things/7`, { method: 'PATCH' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, POST'])
    expect((await fetch(`${url}/queries:data`)).headers.get('allow')).toBe('POST')
    // One that would want a body says nothing of the body.
    expect((await fetch(`${url}/things/7`, { method: 'QUERY' })).status).toBe(405)
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD')
  })

  it('that do not exist are 404, whatever the method (MEMORY-ERRORS-4)', async ({ url }) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expect((await fetch(`${url}/things/7/parts`, { method })).status).toBe(404)
    }
  })

  it('that cannot be decoded are 400', async ({ url }) => {
    const answer = await fetch(`${url}/things/%zz`)
    expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed-request', requestId: 'id-1' })
  })

  it('may hold names as long as those of resources', async ({ url }) => {
    expect((await fetch(`${url}/things/${'x'.repeat(600)}`)).status).toBe(200)
  })

  it('answer HEAD without a body', async ({ url }) => {
    const answer = await fetch(`${url}/healthz`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0)
  })
})

test('an answer that no schema foresaw is sent whole', async () => {
  const response = { 200: Type.Object({ a: Type.Integer() }) }
  const whole = { a: 1, b: [2] }
  const thing: { a: number } = whole
  await withServer(
    (app) => app.get('/thing', { schema: { response } }, async () => thing),
    async ({ url }) => expect(await (await fetch(`${url}/thing`)).json()).toEqual({ a: 1, b: [2] }),
  )
})

describe('failures', () => {
  test('of ours are 500 with the request id and nothing else; the log knows the rest (MEMORY-ERRORS-2, MEMORY-ERRORS-5, HTTP-3, HTTP-7)', async () => {
    await withServer(
      (app) =>
        app.get('/boom', async () => {
          throw new Error('connect postgres://user:secret@db failed at /srv/x.ts')
        }),
      async ({ url, log }) => {
        const answer = await fetch(`${url}/boom`)
        expect(await answer.json()).toEqual({
          type: 'urn:statewright:problem:internal',
          title: 'The server failed',
          status: 500,
          code: 'internal',
          requestId: 'id-1',
        })
        expect(log.lines().find(({ msg }) => msg === 'request failed')).toMatchObject({
          requestId: 'id-1',
          err: { message: expect.stringContaining('connect') },
        })
      },
    )
  })

  test('an error of a library that claims a status of 500 or none is not repeated to the caller (HTTP-3)', async () => {
    await withServer(
      (app) =>
        app.get('/boom', async () => {
          throw Object.assign(new Error('secret'), { statusCode: 500, code: 'X' })
        }),
      async ({ url }) => expect(await (await fetch(`${url}/boom`)).text()).not.toContain('secret'),
    )
  })

  test('that a route states are answered as stated, headers and members included', async () => {
    await withServer(
      (app) =>
        app.get('/busy', async () => {
          throw new Problem('turn-in-flight', 'turn 3 runs', {
            members: { turnId: 't-3' },
            headers: { 'retry-after': '5' },
          })
        }),
      async ({ url }) => {
        const answer = await fetch(`${url}/busy`)
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, '5'])
        expect(await answer.json()).toMatchObject({ code: 'turn-in-flight', detail: 'turn 3 runs', turnId: 't-3' })
      },
    )
  })

  it('bytes that are no HTTP are answered as a problem', async ({ server }) => {
    const { port } = server.app.server.address() as { port: number }
    const socket = connect(port, '127.0.0.1')
    socket.end('NOT HTTP\r\n\r\n')
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'malformed-request' })
  })
})

describe('the request id', () => {
  it.for(['abc-123', 'A.b_c:d/e+f=g@h', 'x'.repeat(128)])(
    '%j is taken from the caller, echoed and logged (MEMORY-ERRORS-10, HTTP-8)',
    async (id, { url, log }) => {
      const answer = await fetch(`${url}/healthz`, { headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toBe(id)
      await expect
        .poll(() => log.lines().some(({ requestId, route }) => requestId === id && route === '/healthz'))
        .toBe(true)
    },
  )

  it.for(['', 'a b', 'a"b', '<x>', 'x'.repeat(129), 'ä'])(
    '%j is not taken: a new one is minted (MEMORY-ERRORS-10, HTTP-8)',
    async (id, { url }) => {
      const answer = await fetch(`${url}/nowhere`, { headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toBe('id-1')
      expect(await answer.json()).toMatchObject({ requestId: 'id-1' })
    },
  )
})
