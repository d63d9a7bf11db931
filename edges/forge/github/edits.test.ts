import { expect, test } from 'vitest'
import type { ForgeComment } from '../port.ts'
import { createGithubForge } from './port.ts'

const author = { login: 'mike', id: '1', bot: false }

function commentOf(id: string): ForgeComment {
  const place = { id, sort: 'comment', on: 'issue', number: 1, url: '' } as const
  return { ...place, node: `node-${id}`, author, body: '/approve', createdAt: 0, updatedAt: 0 }
}

/** A port whose forge answers so, and what it is asked. */
function forgeThat(answers: (ids: readonly string[]) => readonly [status: number, body: unknown]) {
  const asked: { url: string; ids: readonly string[] }[] = []
  const port = createGithubForge({
    token: 't',
    apiURL: 'https://git.example/api/v3',
    fetch: async (url, init) => {
      const { variables } = JSON.parse(String(init?.body)) as { variables: { ids: readonly string[] } }
      asked.push({ url: String(url), ids: variables.ids })
      const [status, body] = answers(variables.ids)
      return Response.json(body, { status })
    },
  })
  return { port, asked }
}

test('who edited a comment is asked of the API that knows it, of a hundred at once', async () => {
  const untouched = { body: '/approve', lastEditedAt: null, editor: null }
  const { port, asked } = forgeThat((ids) => [200, { data: { nodes: ids.map(() => untouched) } }])
  const comments = Array.from({ length: 101 }, (_, at) => commentOf(String(at)))
  expect(await port.editsOf(comments)).toEqual(comments.map(({ id, body }) => ({ id, body })))
  expect(asked.map(({ url, ids }) => [url, ids.length])).toEqual([
    ['https://git.example/api/graphql', 100],
    ['https://git.example/api/graphql', 1],
  ])
})

test('an editor is named; of one who is gone, and of a comment that is gone, nothing is known', async () => {
  const edited = { body: '/approve', lastEditedAt: '2026-01-02T03:04:05Z' }
  const nodes = [{ ...edited, editor: { login: 'maria' } }, { ...edited, editor: null }, null, {}]
  const errors = [{ type: 'NOT_FOUND', path: ['nodes', 2], message: 'Could not resolve to a node' }]
  const { port } = forgeThat(() => [200, { data: { nodes }, errors }])
  expect(await port.editsOf(['1', '2', '3', '4'].map(commentOf))).toEqual([{ id: '1', body: '/approve', by: 'maria' }])
})

test.each<[string, number, unknown]>([
  ['a refusal', 403, { message: 'Resource not accessible by personal access token' }],
  ['an API that is not there', 404, { message: 'Not Found' }],
  ['an answer of errors alone', 200, { data: null, errors: [{ type: 'FORBIDDEN', message: 'no' }] }],
])('%s says nothing of a comment', async (_name, status, body) => {
  const { port } = forgeThat(() => [status, body])
  expect(await port.editsOf([commentOf('1')])).toEqual([])
})

test('an outage is one, and an answer of another form is broken', async () => {
  const away = forgeThat(() => [502, { message: 'Bad gateway' }])
  await expect(away.port.editsOf([commentOf('1')])).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  const broken = forgeThat(() => [200, { data: { nodes: [{ body: 1 }] } }])
  await expect(broken.port.editsOf([commentOf('1')])).rejects.toMatchObject({ name: 'BrokenAnswerError' })
})
