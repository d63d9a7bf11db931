import { expect, test } from 'vitest'
import { withServer } from './testing/fixture.ts'

async function answerTo(error: unknown): Promise<{ status: number; retryAfter: string | null; body: object }> {
  let answered: { status: number; retryAfter: string | null; body: object } | undefined
  await withServer(
    (app) => {
      app.get('/thing', { config: { auth: false } }, async () => {
        throw error
      })
    },
    async ({ url }) => {
      const answer = await fetch(`${url}/thing`)
      const retryAfter = answer.headers.get('retry-after')
      answered = { status: answer.status, retryAfter, body: (await answer.json()) as object }
    },
  )
  return answered!
}

test.each([
  ['says when to come again', { retryAfterMs: 4200 }, '5'],
  ['says to come again at once', { retryAfterMs: 0 }, '1'],
  ['will pass, and nobody knows when', { temporary: true }, '1'],
])('an error that %s is answered 503 with Retry-After, without its words (HTTP-5)', async (_, fields, retryAfter) => {
  const error = Object.assign(new Error('postgres://inner:5432 is away'), fields)
  const answer = await answerTo(error)
  expect(answer).toMatchObject({ status: 503, retryAfter, body: { code: 'not-ready' } })
  expect(JSON.stringify(answer.body)).not.toContain('inner')
})

test.each([
  ['says nothing of the sort', {}],
  ['is of another mind about what passes', { retryAfterMs: 'soon', temporary: 'yes' }],
])('an error that %s is a failure of ours', async (_, fields) => {
  const answer = await answerTo(Object.assign(new Error('a bug'), fields))
  expect(answer).toMatchObject({ status: 500, retryAfter: null, body: { code: 'internal' } })
})
