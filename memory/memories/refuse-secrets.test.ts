import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownSamples, presetSamples } from '../secrets/testing/samples.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

let memory: TestMemory
beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())

const [own = { rule: '', text: '' }] = ownSamples
const [kept = { rule: '', text: '' }] = presetSamples
const nobody = '00000000-0000-4000-8000-000000000000'
const edge = { from: nobody, to: nobody, relation: 'uses' }

test.each([
  { at: 'POST /memories', members: { text: `Two lines.\n${own.text}` }, path: '/text', line: 2, rule: own.rule },
  { at: 'POST /memories', members: { content: kept.text }, path: '/content', line: 1, rule: kept.rule },
  {
    at: 'POST /memories',
    members: { text: 'x', metadata: { topic: kept.text } },
    path: '/metadata',
    line: 1,
    rule: kept.rule,
  },
  {
    at: 'POST /memories',
    members: { text: 'x', metadata: { a: 'b', db_password: 'hunter2Xk9q' } },
    path: '/metadata',
    line: 2,
    rule: 'password',
  },
  {
    at: 'POST /memories',
    members: { text: 'x', idempotency_key: kept.text },
    path: '/idempotency_key',
    line: 1,
    rule: kept.rule,
  },
  {
    at: `PATCH /entities/${nobody}`,
    members: { description: kept.text },
    path: '/description',
    line: 1,
    rule: kept.rule,
  },
  {
    at: `PATCH /entities/${nobody}`,
    members: { metadata: { owner: kept.text, gone: null } },
    path: '/metadata',
    line: 1,
    rule: kept.rule,
  },
  { at: 'POST /edges', members: { ...edge, description: kept.text }, path: '/description', line: 1, rule: kept.rule },
  { at: 'POST /edges', members: { ...edge, relation: kept.text }, path: '/relation', line: 1, rule: kept.rule },
])(
  '$at with a secret in $path is 400: the fault names line and kind, and nothing shows the secret (MEMORIES-25)',
  async ({ at, members, path, line, rule }) => {
    const [method = '', url = ''] = at.split(' ')
    const answer = await memory.ask(method, url, members)
    const text = await answer.text()
    expect(answer.status).toBe(400)
    const message = `holds a secret in line ${line} (${rule})`
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid-input', errors: [{ path, message }] })
    for (const secret of [own.text.split('\n')[1] ?? '', kept.text, 'hunter2Xk9q'])
      expect(text + JSON.stringify(memory.log.lines())).not.toContain(secret)
    const { rows } = await memory.sql.query('select from memory')
    expect(rows).toEqual([])
  },
)
