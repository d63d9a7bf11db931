import { expect, test } from 'vitest'
import { isAway } from '../../../runtime/errors.ts'
import { createGitlabClient, apiPathOf, type GitlabClient } from './client.ts'
import { failureOf, mergeFailureOf } from './failure.ts'
import { createGitlabForge } from './port.ts'
import * as schema from './schema.ts'
import { gitlabWire } from './wire.ts'

type Answer = (url: string, init: RequestInit) => Response

function clientWith(answer: Answer, apiURL?: string): GitlabClient {
  return createGitlabClient({
    token: 'glpat-t',
    fetch: async (input, init) => answer(String(input), init ?? {}),
    ...(apiURL === undefined ? {} : { apiURL }),
  })
}

test.each([
  [undefined, 'https://gitlab.com/api/v4/projects/grp%2Fsub%2Fapp/labels?per_page=100'],
  ['https://git.example/api/v4/', 'https://git.example/api/v4/projects/grp%2Fsub%2Fapp/labels?per_page=100'],
  ['https://x.example/git/api/v4', 'https://x.example/git/api/v4/projects/grp%2Fsub%2Fapp/labels?per_page=100'],
])('with the API at %s a project of any depth is one segment below it', async (apiURL, expected) => {
  const asked: [string, Headers][] = []
  const client = clientWith((url, init) => {
    asked.push([url, new Headers(init.headers)])
    return Response.json([])
  }, apiURL)
  await client.list('list labels', schema.Label, { apiPath: apiPathOf('grp/sub/app', 'labels') })
  expect(asked.map(([url]) => url)).toEqual([expected])
  expect(asked[0]![1].get('private-token')).toBe('glpat-t')
})

test('a list is read to its end, by numbers or by marks, and nothing else of an address is believed', async () => {
  const asked: string[] = []
  const client = clientWith((url) => {
    const { search } = new URL(url)
    asked.push(search)
    if (asked.length === 1) return Response.json([{ name: 'a' }], { headers: { 'x-next-page': '2' } })
    const link = '<https://elsewhere.example/api?cursor=abc&private_token=stolen&per_page=1>; rel="next"'
    if (asked.length === 2) return Response.json([{ name: 'b' }], { headers: { link, 'x-next-page': '' } })
    return Response.json([{ name: 'c' }], { headers: { 'x-next-page': '' } })
  })
  const found = await client.list('list labels', schema.Label, { apiPath: '/x', query: { state: 'all' } })
  expect(found.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(asked).toEqual([
    '?per_page=100&state=all',
    '?per_page=100&state=all&page=2',
    '?per_page=100&state=all&cursor=abc',
  ])
})

test('the name of the next page has its mark alone in it', async () => {
  const link = '<https://elsewhere.example/api?cursor=abc&private_token=stolen&per_page=1>; rel="next"'
  const client = clientWith(() => Response.json([], { headers: { link } }))
  expect(await client.page('list labels', schema.Label, { apiPath: '/x' })).toEqual({ items: [], next: 'cursor=abc' })
})

test('a list that never ends is a broken answer', async () => {
  let pages = 0
  const client = clientWith(() => {
    pages += 1
    return Response.json([{ name: 'a' }], { headers: { 'x-next-page': '2' } })
  })
  await expect(client.list('list labels', schema.Label, { apiPath: '/x' })).rejects.toMatchObject({
    name: 'BrokenAnswerError',
  })
  expect(pages).toBe(1000)
})

test.each([
  ['no JSON', () => new Response('<html>')],
  ['no list', () => Response.json({ name: 'a' })],
  ['another shape', () => Response.json([{ title: 'a' }])],
] as const)('an answer that is %s is the forge’s trouble of this moment', async (_, answer) => {
  const reading = clientWith(answer).list('list labels', schema.Label, { apiPath: '/x' })
  await expect(reading).rejects.toMatchObject({ name: 'BrokenAnswerError' })
})

test('an answer of other fields is read all the same', async () => {
  const client = clientWith(() => Response.json([{ name: 'a', invented: { later: true } }]))
  expect(await client.list('list labels', schema.Label, { apiPath: '/x' })).toHaveLength(1)
})

test('a write is sent once, and a line that breaks is no answer', async () => {
  let sent = 0
  const port = createGitlabForge({
    token: 't',
    fetch: async () => {
      sent += 1
      if (sent === 1) return new Response('<html>', { status: 502 })
      throw new TypeError('fetch failed')
    },
  })
  for (const _ of ['bad gateway', 'broken line'])
    await expect(port.createComment('a/b', 'issue', 1, 'x')).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  expect(sent).toBe(2)
})

test.each([408, 500, 503, 529])('the status %s is no answer, and no other is (FORGE-WRITES-4)', (status) => {
  expect(isAway(failureOf('read issue', { status, body: '' }))).toBe(true)
  for (const refusal of [400, 401, 403, 404, 405, 406, 409, 410, 418, 422])
    expect(isAway(failureOf('read issue', { status: refusal, body: '' }))).toBe(false)
})

test.each([
  ['{"message":"404 Project Not Found"}', '404 Project Not Found'],
  ['{"message":["Another open merge request already exists"]}', 'Another open merge request already exists'],
  ['{"message":{"title":["can\'t be blank","is too short"]}}', "title can't be blank, is too short"],
  ['{"error":"insufficient_scope","error_description":"needs api"}', 'needs api; insufficient_scope'],
  ['<html>', 'refused with 404'],
])('the refusal %s is worded %s', (body, words) => {
  expect(failureOf('read', { status: 404, body }).message).toBe(`read: ${words}`)
})

test.each([
  [401, 'ForbiddenError'],
  [403, 'ForbiddenError'],
  [405, 'NotMergeableError'],
  [406, 'NotMergeableError'],
  [409, 'HeadMovedError'],
  [422, 'NotMergeableError'],
  [502, 'ForgeUnavailableError'],
])('a merge that is refused with %s is a %s', (status, name) => {
  expect(mergeFailureOf('merge', { status, body: '' }).name).toBe(name)
})

test.each([
  ['/api/v4/projects/grp%2Fsub%2Fapp', '', '/api/v4/projects/7', ''],
  ['/git/api/v4/projects/grp%2Fapp/issues/1', '/issues/1', '/git/api/v4/projects/7/issues/1', '/issues/1'],
])('the paths of a project that moved are known: %s', (named, tail, byId, tailThere) => {
  const { repositories } = gitlabWire
  expect(repositories.named.exec(named)?.groups).toMatchObject({ tail: tail === '' ? undefined : tail })
  expect(repositories.byId.exec(byId)?.groups).toMatchObject({
    id: '7',
    tail: tailThere === '' ? undefined : tailThere,
  })
})
