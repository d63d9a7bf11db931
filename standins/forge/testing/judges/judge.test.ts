import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examples, judgeExchange, judgeWebhook, operationNames, webhookNames, type Exchange } from './judge.ts'

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}

const label = {
  id: 7,
  node_id: 'TGFiZWw6Nw==',
  url: 'http://127.0.0.1/api/v3/repos/acme/library/labels/platform',
  name: 'platform',
  description: null,
  color: '5319e7',
  default: false,
}
const sent = { name: 'platform', color: '5319e7' }
const path = '/repos/acme/library/labels'
const made: Exchange = { method: 'POST', path, query: [], sent, status: 201, body: label, isText: false }
const listed: Exchange = { method: 'GET', path, query: ['per_page'], status: 200, body: [label], isText: false }

function faultsOf(change: Partial<Exchange>, of: Exchange = made): readonly string[] | undefined {
  return judgeExchange({ ...of, ...change })?.faults
}

test('what is as GitHub describes it has no fault', () => {
  expect(judgeExchange(made)).toEqual({ name: 'POST /repos/{owner}/{repo}/labels', faults: [] })
  expect(judgeExchange(listed)).toEqual({ name: 'GET /repos/{owner}/{repo}/labels', faults: [] })
})

test.each<[string, Partial<Exchange>, string]>([
  ['a wrong type in an answer', { body: { ...label, id: '7' } }, 'answers 201 /id must be integer'],
  ['a wrong address', { body: { ...label, url: '' } }, 'answers 201 /url must match format "uri"'],
  ['a field too many', { body: { ...label, colour: 'x' } }, 'answers 201 /colour is not described'],
  ['an answer without its body', { body: undefined }, 'answers 201 without its JSON'],
  ['a strange status', { status: 200 }, 'answers 200, not described'],
  ['a wrong type in a request', { sent: { ...sent, color: 7 } }, 'sends /color must be string'],
  ['a field too few in a request', { sent: {} }, "sends / must have required property 'name'"],
  ['a strange field in a request', { sent: { ...sent, colour: 'x' } }, 'sends /colour is not described'],
  ['a strange parameter', { query: ['deep'] }, 'asks with deep, not described'],
])('%s is found', (_what, change, fault) => {
  expect(faultsOf(change)).toEqual([fault])
})

test('a field too few is found in every place of a list, and named once', () => {
  const { color: _color, ...short } = label
  expect(faultsOf({ body: [short, label, short] }, listed)).toEqual([
    "answers 200 [] must have required property 'color'",
  ])
})

test('a body where GitHub takes or sends none is found', () => {
  const gone: Exchange = { method: 'DELETE', path: `${path}/platform`, query: [], status: 204, isText: false }
  expect(faultsOf({}, gone)).toEqual([])
  expect(faultsOf({ body: {} }, gone)).toEqual(['answers 204 with a body where none is described'])
  expect(faultsOf({ sent: {} }, gone)).toEqual(['sends a body where none is described'])
})

const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Comment { body lastEditedAt editor { login } } } }'
const node = { body: 'x', lastEditedAt: '2026-01-02T03:04:05Z', editor: { login: 'ann' } }

test.each<[string, string, unknown, readonly string[]]>([
  ['as GitHub describes it', query, node, []],
  ['of an edit by nobody', query, { ...node, editor: null }, []],
  ['of nothing', query, null, []],
  [
    'a field that is not there',
    query.replace('lastEditedAt', 'editedAt'),
    { body: 'x', editor: null },
    ['asks Comment.editedAt, not described'],
  ],
  [
    'a type that is no node',
    query.replace('Comment', 'Query'),
    {},
    [
      'asks Query of Node',
      'asks Query.body, not described',
      'asks Query.lastEditedAt, not described',
      'asks Query.editor, not described',
    ],
  ],
  ['variables of another type', query.replace('[ID!]!', '[ID!]'), node, ['asks Query.nodes with other parameters']],
  ['a null that is none', query, { ...node, body: null }, ['answers Comment.body null']],
  ['a time that is none', query, { ...node, lastEditedAt: 'soon' }, ['answers Comment.lastEditedAt no DateTime']],
  ['what was not asked', query, { ...node, id: '7' }, ['answers Node.id, not asked']],
])('a query is judged by the types that GitHub publishes: %s', (_name, text, one, faults) => {
  const exchange = {
    method: 'POST',
    path: '/api/graphql',
    query: [],
    sent: { query: text },
    status: 200,
    isText: false,
  }
  expect(faultsOf({}, { ...exchange, body: { data: { nodes: [one] } } })).toEqual(faults)
})

test('a name with slashes is no other operation', () => {
  const nameOf = (at: string): string | undefined =>
    judgeExchange({ ...listed, query: [], path: `/repos/acme/library/${at}` })?.name.split('/{repo}')[1]
  expect(nameOf('commits/a/b')).toBe('/commits/{ref}')
  expect(nameOf('commits/a/b/status')).toBe('/commits/{ref}/status')
  expect(nameOf('branches/a/b/protection')).toBe('/branches/{branch}/protection')
  expect(nameOf('contents')).toBe('/contents/{path}')
  expect(nameOf('nothing')).toBeUndefined()
})

test('a webhook is judged by its event and action, with its headers', () => {
  expect(judgeWebhook('issues', {}, { action: 'adored' })).toBeUndefined()
  const { name, faults } = judgeWebhook('issue_comment', { 'x-github-event': 'issue_comment' }, { action: 'created' })!
  expect(name).toBe('issue-comment-created')
  expect(faults).toContain('lacks the header x-github-delivery')
  expect(faults).toContain("/ must have required property 'comment'")
  expect(faults).not.toContain('lacks the header x-github-event')
})

test('the cuts hold what the list of used names asks for, of the versions that the page names', () => {
  const used = JSON.parse(read('used.json')) as Record<'operations' | 'webhooks' | 'events', string[]>
  expect(operationNames).toEqual(used.operations)
  expect(webhookNames).toEqual(used.webhooks)
  expect([...new Set(examples.map(({ event }) => event))].toSorted()).toEqual(used.events.toSorted())
  const page = read('README.md')
  for (const cut of ['rest', 'graphql', 'webhooks', 'examples']) {
    const [name, version] = (JSON.parse(read(`${cut}.json`)) as { from: string }).from.split(' ')
    expect(page).toMatch(new RegExp(`\\| \`${cut}.json\` \\|.*\`${name}\` ${version}`))
  }
})
