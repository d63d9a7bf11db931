import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from './testing/service.ts'

let memory: TestMemory
beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly [keyword: string]: unknown
}

/** The names of all members, at any depth; of records only the schema of their values is looked at. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  const { properties = {}, ...keywords } = schema as Schema
  return [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap(namesIn),
    ...Object.values(keywords).flatMap(namesIn),
  ]
}

const snake = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

async function answerOf(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  return (await (await memory.ask(method, path, body)).json()) as Record<string, unknown>
}

test('every member of the document is spelled in snake_case (MEMORY-ERRORS-9, MEMORY-RULE-6)', async () => {
  const { paths, components } = await answerOf('GET', '/openapi.json')
  const names = [...new Set(namesIn([paths, (components as { schemas: object }).schemas]))]
  expect(names.length).toBeGreaterThan(80)
  expect(names.filter((name) => !snake.test(name))).toEqual([])
  for (const name of ['next_cursor', 'request_id']) expect(names).toContain(name)
})

test.each([
  ['GET', '/memories/nobody', 404],
  ['GET', '/nowhere', 404],
  ['PUT', '/memories', 405],
  ['GET', '/memories/%zz', 400],
  ['GET', '/edges?limit=0', 400],
])('the problem of %s %s names its request by `request_id` (MEMORY-ERRORS-9)', async (method, path, status) => {
  const answer = await memory.ask(method, path)
  const problem = (await answer.json()) as Record<string, unknown>
  expect(problem).toMatchObject({ status, request_id: answer.headers.get('x-request-id') })
  expect(Object.keys(problem).filter((name) => !snake.test(name))).toEqual([])
})

test('a page of jobs, entities, edges and code that has more behind it carries `next_cursor` and nothing else of the kind (MEMORY-LIMITS-8, MEMORY-ERRORS-9)', async () => {
  for (const name of ['Ada Lovelace', 'Charles Babbage', 'Grace Hopper']) {
    await memory.ask('POST', '/memories:bulk', [{ content: `${name} wrote to Mary Somerville about ${name}.` }])
    const stored = await answerOf('POST', '/memories', { text: `${name} met Mary Somerville. ${name} knows her.` })
    await memory.service.deps.feed.put([String(stored['id'])])
  }
  const entities = ['a', 'b'].map((id) => ({ id, type: 'function', name: id }))
  await memory.ask('POST', '/code-graph:bulk?repo=a', { mode: 'snapshot', entities })
  const found = (await answerOf('GET', '/entities'))['items'] as readonly { readonly id: string }[]
  const [one, other] = found
  for (const relation of ['wrote-to', 'met'])
    expect((await memory.ask('POST', '/edges', { from: one!.id, to: other!.id, relation })).status).toBe(201)
  for (const list of ['/ingest-jobs?', '/entities?', '/edges?', '/code/entities?repo=a&']) {
    const page = await answerOf('GET', `${list}limit=1`)
    expect([list, Object.keys(page).filter((name) => !snake.test(name))]).toEqual([list, []])
    expect([list, typeof page['next_cursor']]).toEqual([list, 'string'])
    const next = await answerOf('GET', `${list}limit=1&cursor=${String(page['next_cursor'])}`)
    expect([list, next['items']]).not.toEqual([list, page['items']])
  }
})
