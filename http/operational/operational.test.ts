import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { HttpApp } from '../app.ts'
import { createMetrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'
import { withServer } from '../testing/fixture.ts'

interface Document {
  readonly openapi: string
  readonly info: object
  readonly paths: Record<
    string,
    Record<
      string,
      { security?: object[]; responses: Record<string, unknown>; parameters?: object[]; requestBody?: object }
    >
  >
  readonly components: { readonly schemas: Record<string, object>; readonly responses: object }
}

const Item = Type.Object({ id: Type.String({ description: 'Its <name>' }) }, { additionalProperties: false })

function declareItems(app: HttpApp): void {
  const querystring = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) })
  app.get(
    '/items',
    { schema: { summary: 'Lists <items> & more', querystring, response: { 200: Type.Array(Item) } } },
    async () => [],
  )
  app.post(
    '/items',
    { config: { auth: false }, schema: { body: Item, response: { 201: Item, 409: Type.Object({}) } } },
    async () => ({}),
  )
}

test('health says who is alive', async () => {
  await withServer(declareItems, async ({ url }) => {
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', name: 'test', version: '1.2.3' })
  })
})

test('readiness follows its check, and says why not (MEMORY-HEALTH-1, MEMORY-HEALTH-4, HTTP-12)', async () => {
  let readiness: Readiness = { ready: true, reasons: [] }
  await withServer(
    declareItems,
    async ({ url }) => {
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })
      readiness = { ready: true, reasons: [], degraded: ['two actors wait'] }
      const degraded = await fetch(`${url}/readyz`)
      expect(degraded.status).toBe(200)
      expect(await degraded.json()).toEqual({ status: 'ready', degraded: ['two actors wait'] })
      readiness = { ready: false, reasons: ['no database', 'no forge'] }
      const answer = await fetch(`${url}/readyz`)
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({
        code: 'not-ready',
        detail: 'no database; no forge',
        reasons: readiness.reasons,
      })
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    },
    { readiness: async () => readiness },
  )
})

test('a readiness check that fails is not ready, and what it said stays inside', async () => {
  const readiness = async (): Promise<Readiness> => {
    throw new Error('postgres://user:secret@db')
  }
  await withServer(
    declareItems,
    async ({ url }) => {
      const answer = await fetch(`${url}/readyz`)
      expect(answer.status).toBe(503)
      expect(await answer.text()).not.toContain('secret')
    },
    { readiness },
  )
})

test('a readiness check that hangs is not ready after 3 s', async () => {
  let asked = 0
  const readiness = async (): Promise<Readiness> => {
    asked++
    return new Promise(() => {})
  }
  await withServer(
    declareItems,
    async ({ url, clock }) => {
      const answer = fetch(`${url}/readyz`)
      await expect.poll(() => asked).toBe(1)
      clock.advance(3_000)
      expect((await answer).status).toBe(503)
    },
    { readiness },
  )
})

test('metrics count by the pattern of the route, never by the path', async () => {
  await withServer(
    (app) => app.get('/items/:id', async () => ({})),
    async ({ url }) => {
      await fetch(`${url}/items/secret-name`)
      await fetch(`${url}/nowhere/secret-name`)
      const read = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()
      const count = 'http_request_duration_seconds_count{service="test",method="GET"'
      await expect.poll(async () => (await read()).includes(`${count},route="/items/:id",status="200"} 1`)).toBe(true)
      const text = await read()
      expect(text.includes(`${count},route="unknown",status="404"} 1`)).toBe(true)
      expect(text.includes('secret-name')).toBe(false)
      expect(text.includes('process_cpu_seconds_total')).toBe(true)
    },
  )
})

test('the servers of a process watch it once, and each says so under its own name', async () => {
  const [one, other] = [createMetrics('one', {}), createMetrics('other', {})]
  for (const name of ['nodejs_gc_duration_seconds', 'nodejs_eventloop_lag_seconds'])
    expect(one.registry.getSingleMetric(name)).toBe(other.registry.getSingleMetric(name))
  expect(await one.registry.metrics()).toMatch(/^process_cpu_seconds_total\{service="one"\} /m)
  expect(await other.registry.metrics()).toMatch(/^process_cpu_seconds_total\{service="other"\} /m)
})

test('the OpenAPI document is 3.1, made of the schemas that validate, and every operation may answer a problem (DOCUMENTS-1, HTTP-13)', async () => {
  await withServer(
    declareItems,
    async ({ url }) => {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
      expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Test <API>', version: '1.2.3' } })
      expect(Object.keys(document.paths).toSorted()).toEqual([
        '/docs',
        '/healthz',
        '/items',
        '/metrics',
        '/openapi.json',
        '/readyz',
      ])
      const { get, post } = document.paths['/items']!
      expect(get!.parameters).toEqual([
        { in: 'query', name: 'limit', required: false, schema: { type: 'integer', minimum: 1 } },
      ])
      expect(post!.requestBody).toMatchObject({
        content: { 'application/json': { schema: { additionalProperties: false } } },
      })
      for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
        expect(operation.responses['default']).toEqual({ $ref: '#/components/responses/Problem' })
      }
      expect(Object.keys(document.components.schemas)).toContain('Problem')
    },
    { authenticate: async () => ({ subject: 's', issuer: 'i', claims: {} }) },
  )
})

test('problems may be listed, each operation with those that it answers: those of its input, its token and its own', async () => {
  await withServer(
    (app) => {
      app.get('/plain', async () => ({}))
      app.post(
        '/streamed',
        { config: { documentedBody: Type.Array(Type.String()), problems: [409] } },
        async () => ({}),
      )
    },
    async ({ url }) => {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
      const statuses = (path: string, method: string): string[] =>
        Object.keys(document.paths[path]![method]!.responses).filter((status) => status !== '200')
      expect(statuses('/plain', 'get')).toEqual(['401', '503'])
      expect(statuses('/streamed', 'post')).toEqual(['400', '401', '409', '413', '415', '503'])
      expect(statuses('/healthz', 'get')).toEqual([])
      expect(statuses('/readyz', 'get')).toEqual(['503'])
      expect(document.paths['/streamed']!['post']!.requestBody).toMatchObject({
        content: { 'application/json': { schema: { type: 'array' } } },
      })
    },
    {
      authenticate: async () => ({ subject: 's', issuer: 'i', claims: {} }),
      openapi: { title: 'Test', description: 'A server for tests.', problems: 'listed' },
    },
  )
})

test('the document says which operations need no token', async () => {
  await withServer(
    declareItems,
    async ({ url }) => {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document & { security: object[] }
      expect(document.security).toEqual([{ bearer: [] }])
      expect(document.paths['/items']!['get']!.security).toBeUndefined()
      expect(document.paths['/items']!['post']!.security).toEqual([])
      expect(document.paths['/healthz']!['get']!.security).toEqual([])
    },
    { authenticate: async () => ({ subject: 's', issuer: 'i', claims: {} }) },
  )
})

test('the docs page shows every operation, needs nothing from elsewhere and runs no script (DOCUMENTS-1, HTTP-13)', async () => {
  await withServer(declareItems, async ({ url }) => {
    const answer = await fetch(`${url}/docs`)
    const html = await answer.text()
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).toContain('Lists &lt;items&gt; &amp; more')
    expect(html).toContain('Its &lt;name&gt;')
    expect(html).toContain('<b>POST</b> <code>/items</code>')
    expect(html).not.toMatch(/<script|https?:\/\/|Its <name>/)
  })
})
