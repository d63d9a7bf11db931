/** No input makes a 5xx (MEMORY-ERRORS-8): inputs that fit the document half, for each operation of the document. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileRequest, knownRequests, operationsOf, type Operation } from './testing/hostile-requests.ts'
import { openTestMemory, type TestMemory } from './testing/service.ts'

let memory: TestMemory
let operations: readonly Operation[]
beforeAll(async () => {
  memory = await openTestMemory()
  const entities = ['a', 'b'].map((id) => ({ id, type: 'function', name: id }))
  const pushed = { mode: 'snapshot', entities, edges: [{ from: 'a', to: 'b', relation: 'calls' }] }
  expect((await memory.ask('POST', '/code-graph:bulk?repo=a', pushed)).status).toBe(200)
  const document = await (await memory.ask('GET', '/openapi.json')).json()
  operations = operationsOf(document as never)
}, 120_000)
afterAll(() => memory?.close())

test.each(knownRequests)('$method $path, which once made a 5xx, makes none (MEMORY-ERRORS-8)', async (request) => {
  const answer = await memory.ask(request.method, request.path, request.body)
  const text = await answer.text()
  // A filter that no memory can have finds nothing.
  expect([request.path === '/queries' ? 200 : 400, 404], text).toContain(answer.status)
})

const eachOperation = 16
/** A stream that ends with its job, and what needs no input. */
const hasInput = ({ parameters, body }: Operation): boolean => parameters.length > 0 || body !== undefined

test('NUL, halves of pairs, deep values, huge numbers and odd cursors make no 5xx on any operation (MEMORY-ERRORS-8, INGEST-JOBS-12)', async () => {
  const asked = operations.filter(hasInput)
  expect(asked.length).toBeGreaterThan(25)
  const statuses = new Set<number>()
  for (const operation of asked)
    await fc.assert(
      fc.asyncProperty(hostileRequest(operation), async ({ method, path, body }) => {
        const answer = await memory.ask(method, path, body)
        await answer.text()
        statuses.add(answer.status)
        if (answer.status >= 500) expect.fail(`${method} ${path} ${body?.slice(0, 2000)}: ${answer.status}`)
      }),
      { numRuns: eachOperation, seed: 20_261_127 },
    )
  // Without answers of each kind the requests would end at the door.
  for (const status of [200, 400, 404]) expect(statuses).toContain(status)
}, 240_000)
