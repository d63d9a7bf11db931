import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { HttpApp } from '../app.ts'
import { decodeCursor, encodeCursor } from './list.ts'
import { jsonFault, mostLevels, plainName } from './plain-input.ts'
import { Problem } from './problem.ts'
import { withServer, type TestServer } from '../testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

const Named = Type.Object({ name: Type.String({ pattern: plainName }), text: Type.Optional(Type.String()) })

function declare(app: HttpApp): void {
  app.get('/things/:id', async () => ({}))
  app.get('/files/*', async () => ({}))
  app.post('/names', { schema: { body: Named } }, async ({ body }) => body)
  app.post('/anything', async ({ body }) => ({ body }))
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post('/signed', async ({ body }) => ({ bytes: (body as Buffer).toString('latin1') }))
  })
}

async function post(url: string, body: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}

const it = testInside<[TestServer]>((use) => withServer(declare, use))

describe('an address', () => {
  test.each([
    '/things/%00',
    '/things/a%00b',
    '/files/a/%00/b',
    '/nowhere/%00',
    '/things/1?q=%00',
    '/things/1?a%00=1',
    '/healthz?%00',
    '/things/1?q=%ED%A0%80',
    '/things/1?q=%ed%bf%bf',
    '/things/%ED%B0%80',
  ])('%s is 400, before anybody asks who calls (HTTP-17)', async (path) => {
    const authenticate = async (): Promise<never> => {
      throw new Problem('unauthenticated')
    }
    await withServer(
      declare,
      async ({ url }) => {
        const answer = await fetch(`${url}${path}`)
        expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed-request' })
      },
      { authenticate },
    )
  })

  it('with other characters of any script is taken (HTTP-17)', async ({ url }) => {
    for (const text of ['é', '한국어', '\ud83d\ude00', '%2500', '\ufffd', '\u0001'])
      expect((await fetch(`${url}/things/1?q=${encodeURIComponent(text)}`)).status).toBe(200)
  })
})

describe('a JSON body', () => {
  it.for([
    ['nests 65 levels deep', nested(mostLevels + 1)],
    ['nests 500,000 levels deep', nested(500_000)],
    ['has a key with NUL', '{"a\\u0000":1}'],
    ['has a key with half of a pair in a list', '[{"ok":[{"\\udc00":1}]}]'],
  ])('that %s is 400 (HTTP-18)', async ([, body], { url }) => {
    expect(await post(`${url}/anything`, body)).toMatchObject({ status: 400, body: { code: 'malformed-request' } })
  })

  test('may nest 64 levels, and have whole pairs in its keys (HTTP-18)', async () => {
    await withServer(declare, async ({ url }) => {
      expect((await post(`${url}/anything`, nested(mostLevels))).status).toBe(200)
      expect((await post(`${url}/anything`, '{"\\ud83d\\ude00":1}')).body).toEqual({ body: { '\ud83d\ude00': 1 } })
    })
    expect(jsonFault('\ud800')).toBe(undefined)
  })

  it.for(['a\u0000', '\ud800', 'a\udc00b'])(
    'with the name %j is 400 and names the member (HTTP-19)',
    async (name, { url }) => {
      const { status, body } = await post(`${url}/names`, JSON.stringify({ name }))
      expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ path: '/name' })]])
    },
  )

  it('has U+FFFD where a text had half of a pair; whole pairs stay (HTTP-19)', async ({ url }) => {
    const sent = { name: '\ud83d\ude00', text: 'half \ud83d of a pair, \ud83d\ude00' }
    expect((await post(`${url}/names`, JSON.stringify(sent))).body).toEqual({
      name: '\ud83d\ude00',
      text: 'half \ufffd of a pair, \ud83d\ude00',
    })
    expect((await post(`${url}/anything`, '[{"a":["\\udc00"]},null,1]')).body).toEqual({
      body: [{ a: ['\ufffd'] }, null, 1],
    })
  })

  it('that a route reads as bytes stays as it is (HTTP-18)', async ({ url }) => {
    for (const body of [nested(100), '{"\\u0000":"\\ud800"}'])
      expect(await post(`${url}/signed`, body)).toEqual({ status: 200, body: { bytes: body } })
  })
})

test('a cursor that hides NUL or half of a pair is 400 (HTTP-17)', () => {
  for (const hidden of ['a\u0000', '\ud800'])
    expect(() => decodeCursor(Type.Array(Type.String()), encodeCursor([hidden]))).toThrow(
      expect.objectContaining({ status: 400 }),
    )
  expect(decodeCursor(Type.Array(Type.String()), encodeCursor(['a\u0001']))).toEqual(['a\u0001'])
})
