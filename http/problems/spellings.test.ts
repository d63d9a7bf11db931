import { request } from 'node:http'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { HttpApp } from '../app.ts'
import { withServer } from '../testing/fixture.ts'

/** The target goes out as it is written; `fetch` would resolve its dots and drop its fragment. */
async function ask(url: string, target: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url)
  const [answer] = (await once(request({ hostname, port, path: target, method }).end(), 'response')) as [
    IncomingMessage,
  ]
  const pieces = await answer.toArray()
  return { status: answer.statusCode ?? 0, body: pieces.join('') }
}

function declare(app: HttpApp): void {
  app.get('/things/:id', async ({ params }) => params)
  app.get('/things', async () => ({ all: true }))
  app.post('/things::bulk', async () => ({ bulk: true }))
}

const prefix = '/api/v1/memory'

function spellingsOf(name: string): string[] {
  const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`
  const first = `/${encoded(name[0]!)}${name.slice(1)}`
  return [
    `/${name}`,
    first,
    first.toUpperCase().replace(name.slice(1).toUpperCase(), name.slice(1)),
    `/${[...name].map(encoded).join('')}`,
    `/${name.slice(0, -1)}${encoded(name.at(-1)!)}`,
    `/%25${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `/${name}?a=1`,
    `/${name}#a`,
    `${first}#a?b`,
    `/${name}%23`,
    `/${name}%3F`,
    `/${name}/`,
    `//${name}`,
    `/%2F${name}`,
    `/./${name}`,
    `/%2e/${name}`,
    `/things/../${name}`,
    `/../../../${name}`,
    `/%2e%2e/%2e%2e/%2e%2e/${name}`,
    `/${name};a=1`,
  ]
}

test.each(['healthz', 'readyz', 'metrics'])(
  '/%s does not answer below the public prefix in any spelling (MEMORY-HEALTH-8)',
  async (name) => {
    await withServer(
      declare,
      async ({ url }) => {
        expect((await ask(url, `/${name}`)).status).toBe(200)
        for (const spelling of spellingsOf(name))
          for (const method of ['GET', 'HEAD', 'POST'])
            expect([method, spelling, (await ask(url, `${prefix}${spelling}`, method)).status]).toEqual([
              method,
              spelling,
              404,
            ])
        for (const target of [`/api/v1/%6demory/${name}`, `/api/v1//memory/${name}`, `${prefix}${prefix}/${name}`])
          expect([target, (await ask(url, target)).status]).toEqual([target, 404])
      },
      { basePath: prefix },
    )
  },
)

test('the other routes answer below the prefix and without it', async () => {
  await withServer(
    declare,
    async ({ url }) => {
      for (const path of [
        '/things',
        `${prefix}/things`,
        `${prefix}/%74hings`,
        `${prefix}/things#a`,
        `${prefix}/things?a=1`,
      ])
        expect([path, await ask(url, path)]).toEqual([path, { status: 200, body: '{"all":true}' }])
      expect((await ask(url, `${prefix}things`)).status).toBe(404)
    },
    { basePath: prefix },
  )
})

test.each(['', prefix])('a path with an encoded colon is the same path (DOCUMENTS-5)', async (basePath) => {
  await withServer(
    declare,
    async ({ url }) => {
      for (const path of ['/things:bulk', '/things%3Abulk', '/things%3abulk', '/things%3Abulk?a=%3A'])
        expect([path, await ask(url, `${basePath}${path}`, 'POST')]).toEqual([
          path,
          { status: 200, body: '{"bulk":true}' },
        ])
      expect((await ask(url, `${basePath}/things/a%3Ab%253A`)).body).toBe('{"id":"a:b%3A"}')
      expect((await ask(url, `${basePath}/things%253Abulk`, 'POST')).status).toBe(404)
    },
    { basePath },
  )
})
