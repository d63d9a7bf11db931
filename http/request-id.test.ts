import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { currentRequestId } from './request-id.ts'
import { withServer } from './testing/fixture.ts'

test('a route and what it waits for know the id of their request; what outlives the answer knows none', async () => {
  const answered = Promise.withResolvers<void>()
  let later: Promise<string | undefined> | undefined
  await withServer(
    (app) => {
      app.post('/echo', async () => {
        await setTimeout(1)
        return { id: currentRequestId() }
      })
      app.get('/leaves', async () => {
        later = answered.promise.then(() => currentRequestId())
        return { id: currentRequestId() }
      })
    },
    async ({ url }) => {
      const ids = Array.from({ length: 8 }, (_, index) => `own-${index}`)
      const echoed = ids.map(async (id) => {
        const headers = { 'x-request-id': id, 'content-type': 'application/json' }
        return (await fetch(`${url}/echo`, { method: 'POST', headers, body: '{"a":1}' })).json()
      })
      expect(await Promise.all(echoed)).toEqual(ids.map((id) => ({ id })))
      expect(await (await fetch(`${url}/leaves`, { headers: { 'x-request-id': 'left' } })).json()).toEqual({
        id: 'left',
      })
    },
  )
  answered.resolve()
  expect(await later).toBeUndefined()
  expect(currentRequestId()).toBeUndefined()
})
