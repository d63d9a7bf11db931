/** Every operation of the document answers each problem that it lists for all of them: who calls, and what was sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '../http/problems/problem.ts'
import { openTestMemory, type TestMemory } from './testing/service.ts'

interface Operation {
  readonly security?: readonly object[]
  readonly requestBody?: object
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, object>>
}

interface Listed {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

let memory: TestMemory
let operations: readonly Listed[]
let isProviderAway = false

beforeAll(async () => {
  memory = await openTestMemory({
    authenticate: async (request) => {
      if (isProviderAway) throw new Problem('identity-unavailable', '', { headers: { 'retry-after': '2' } })
      if (request.headers.authorization !== 'Bearer good') throw new Problem('unauthenticated')
      return { subject: 'tester', issuer: 'test', claims: {} }
    },
  })
  const { paths } = (await (await memory.ask('GET', '/openapi.json')).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]*\}/g, 'nobody'),
      operation,
    })),
  )
}, 120_000)
afterAll(() => memory?.close())

const listing = (status: string): readonly Listed[] =>
  operations.filter(({ operation }) => status in operation.responses)

async function statuses(
  among: readonly Listed[],
  ask: (one: Listed) => Promise<Response>,
): Promise<readonly [string, number][]> {
  const answers: [string, number][] = []
  for (const one of among) {
    const answer = await ask(one)
    answers.push([one.name, answer.status])
    await answer.body?.cancel()
  }
  return answers
}

const all = (among: readonly Listed[], status: number): readonly [string, number][] =>
  among.map(({ name }) => [name, status])

describe('the document', () => {
  test('has every endpoint of the contract, and lists the statuses of each: none is a default (KNOWLEDGE-9, DOCUMENTS-3)', () => {
    const names = operations.map(({ name }) => name)
    for (const path of ['entity', 'entities', 'neighbors', 'callers', 'callees', 'dependents', 'dependencies'])
      expect(names).toContain(`GET /code/${path}`)
    for (const path of ['resource-graph', 'file-imports', 'cross-repo']) expect(names).toContain(`GET /code/${path}`)
    for (const path of ['path', 'important', 'stats', 'ambiguous', 'explain', 'related', 'hyperedges', 'hyperedge'])
      expect(names).toContain(`GET /code-graph/${path}`)
    for (const path of ['communities', 'community', 'bridges']) expect(names).toContain(`GET /code-graph/${path}`)
    expect(names).toEqual(
      expect.arrayContaining([
        'POST /memories',
        'GET /memories/{id}',
        'DELETE /memories/{id}',
        'POST /memories:bulk',
        'GET /ingest-jobs',
        'GET /ingest-jobs/{id}',
        'DELETE /ingest-jobs/{id}',
        'GET /ingest-jobs/{id}/events',
        'GET /ingest-record',
        'POST /queries',
        'POST /queries:data',
        'POST /queries:describe',
        'GET /entities',
        'GET /entities/{id}',
        'PATCH /entities/{id}',
        'GET /edges',
        'POST /edges',
        'DELETE /edges/{id}',
        'GET /engine',
        'POST /code-graph:bulk',
        'POST /code-graph/semantic-misses',
      ]),
    )
    for (const { operation } of operations) expect(Object.keys(operation.responses)).not.toContain('default')
    const unlisted = operations.filter(
      ({ operation }) => operation.security?.length !== 0 && !('401' in operation.responses),
    )
    expect(unlisted.map(({ name }) => name)).toEqual([])
  })
})

describe('every operation', () => {
  test('answers 401 without a token (MEMORY-AUTH-1)', async () => {
    const asked = listing('401')
    expect(asked.length).toBeGreaterThan(35)
    expect(
      await statuses(asked, ({ method, path }) => memory.ask(method, path, undefined, { authorization: '' })),
    ).toEqual(all(asked, 401))
  })

  test('answers 503 while the identity provider is away, and says when to come again', async () => {
    const asked = listing('503').filter(({ path }) => path !== '/readyz')
    isProviderAway = true
    try {
      expect(await statuses(asked, ({ method, path }) => memory.ask(method, path))).toEqual(all(asked, 503))
      expect((await memory.ask('GET', '/ingest-jobs')).headers.get('retry-after')).toBe('2')
    } finally {
      isProviderAway = false
    }
  })

  test('with a body answers 415 to another type, and 400 to what is no JSON', async () => {
    const asked = listing('415')
    expect(asked.length).toBeGreaterThan(7)
    const send =
      (body: string, type: string) =>
      (one: Listed): Promise<Response> =>
        memory.ask(one.method, `${one.path}?repo=r`, body, { 'content-type': type })
    expect(await statuses(asked, send('a: 1', 'text/yaml'))).toEqual(all(asked, 415))
    expect(await statuses(asked, send('{"a":', 'application/json'))).toEqual(all(asked, 400))
  })

  test('with a body answers 413 to one that is too large', async () => {
    const asked = listing('413')
    const large = `["${'x'.repeat(33 * 1024 * 1024)}"]`
    expect(
      await statuses(asked, async ({ method, path }) => {
        try {
          return await memory.ask(method, `${path}?repo=r`, large)
        } catch {
          // The kit cuts those that announce far too much; who sends first hears it as an end.
          return new Response(null, { status: 413 })
        }
      }),
    ).toEqual(all(asked, 413))
  })

  test('that needs a parameter answers 400 without it', async () => {
    const asked = operations.filter(
      ({ method, operation }) =>
        method === 'GET' && operation.parameters?.some((one) => one.in === 'query' && one.required === true),
    )
    expect(asked.length).toBeGreaterThan(15)
    expect(await statuses(asked, ({ method, path }) => memory.ask(method, path))).toEqual(all(asked, 400))
  })
})

test('every operation that reads refuses a query parameter that it does not know, and names it (MEMORY-ERRORS-12)', async () => {
  const asked = listing('401').filter(({ method, path }) => method === 'GET' && !/^\/(docs|openapi\.json)/.test(path))
  expect(asked.length).toBeGreaterThan(25)
  const faults = await Promise.all(
    asked.map(async ({ name, path }) => {
      const answer = await memory.ask('GET', `${path}?repo=r&surprise=1`)
      const { errors = [] } = (await answer.json()) as { readonly errors?: readonly { readonly path: string }[] }
      return [name, answer.status, errors.some((fault) => fault.path === '/surprise')]
    }),
  )
  expect(faults).toEqual(asked.map(({ name }) => [name, 400, true]))
})

test('an operation that writes refuses one too, and does nothing (MEMORY-ERRORS-12)', async () => {
  const answer = await memory.ask('POST', '/memories?wait=true', { text: 'x' }, { authorization: 'Bearer good' })
  expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ in: 'query', path: '/wait' }] }])
})

test('a stopping server is not ready, and says so to everyone (MEMORY-LIMITS-10)', async () => {
  const other = await openTestMemory({ sql: memory.sql })
  const closing = other.service.server.close({ graceMs: 0 })
  const answer = await other.service.server.app.inject({ method: 'GET', url: '/readyz' })
  expect(answer.statusCode).toBe(503)
  await closing
  await other.close()
})

test('a store that answers and takes no writes, because its disk is full, is not ready (MEMORY-HEALTH-4)', async () => {
  const probe = async (): Promise<never> => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write /secret/path'), { code: 'ENOSPC' })
  }
  const full = await openTestMemory({ sql: { ...memory.sql, probe } })
  const answer = await full.ask('GET', '/readyz')
  expect([answer.status, await answer.json()]).toMatchObject([503, { reasons: ['the store accepts no writes'] }])
  await full.close()
})

test('which backends are asked for readiness is a setting; all that fail are named (KNOWLEDGE-4, MEMORY-HEALTH-3, MEMORY-HEALTH-4)', async () => {
  const away = async (): Promise<never> => {
    throw new Error('bolt://neo4j:secret@graph is away')
  }
  const graph = (): never =>
    new Proxy({}, { get: (_, name) => (name === 'ready' ? away : async () => undefined) }) as never
  const strict = await openTestMemory({ sql: memory.sql, graph })
  const answer = await strict.ask('GET', '/readyz')
  expect([answer.status, await answer.json()]).toMatchObject([503, { reasons: ['the graph store does not answer'] }])
  await strict.close()
  const lax = await openTestMemory({ sql: memory.sql, graph, checks: ['store', 'engine'] })
  expect((await lax.ask('GET', '/readyz')).status).toBe(200)
  await lax.close()
})
