import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { clampLimit, decodeCursor, encodeCursor, listQuery, page, pageOf, sliceBehind } from './list.ts'
import { withServer } from '../testing/fixture.ts'

const rows = Array.from({ length: 7 }, (_, index) => ({ id: index }))
const Key = Type.Integer({ minimum: 0 })

test('the limit is 100 unless told and never above 500 (MEMORY-LIMITS-6, TOOL-SCM-READ-15, HTTP-10)', () => {
  expect([undefined, 1, 100, 500, 501, 1e9].map(clampLimit)).toEqual([100, 1, 100, 500, 500, 500])
})

test('pages follow each other without gap or repeat, and the last has no cursor (HTTP-10)', () => {
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const after = cursor === undefined ? -1 : decodeCursor(Key, cursor)
    const next = page(rows.filter(({ id }) => id > after).slice(0, 4), 3, ({ id }) => id)
    seen.push(...next.items.map(({ id }) => id))
    cursor = next.nextCursor
  } while (cursor !== undefined)
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('a list in memory is paged in the order of its keys, whatever its own order (HTTP-10)', () => {
  const items = ['b', 'a-1', 'a', 'c'].map((key) => ({ key }))
  const behind = (after: string, limit: number): readonly string[] =>
    sliceBehind(items, ({ key }) => key, { after, limit }).map(({ key }) => key)
  expect(behind('', 1)).toEqual(['a', 'a-1'])
  expect(behind('a', 2)).toEqual(['a-1', 'b', 'c'])
  expect(behind('c', 2)).toEqual([])
})

test('a page that holds exactly what there is has no cursor', () => {
  expect(page(rows.slice(0, 3), 3, ({ id }) => id)).toEqual({ items: rows.slice(0, 3) })
  expect(page([], 3, () => 0)).toEqual({ items: [] })
})

test.each(['', '!!', encodeCursor('text'), encodeCursor(-1), encodeCursor(null)])(
  '%j is no cursor of this list: 400',
  (cursor) => {
    expect(() => decodeCursor(Key, cursor)).toThrow(expect.objectContaining({ code: 'invalid-input', status: 400 }))
  },
)

test('over HTTP, a limit below 1 or not an integer is 400 and a large one is taken (MEMORY-LIMITS-7, HTTP-10)', async () => {
  const query = Type.Object(listQuery, { additionalProperties: false })
  const schema = { querystring: query, response: { 200: pageOf(Type.Object({ id: Key })) } }
  await withServer(
    (app) =>
      app.get('/rows', { schema }, async (request) => page(rows, clampLimit(request.query.limit), ({ id }) => id)),
    async ({ url }) => {
      const status = async (limit: string): Promise<number> => (await fetch(`${url}/rows?limit=${limit}`)).status
      expect(await Promise.all(['0', '-1', '5.5', 'ten', ''].map(status))).toEqual([400, 400, 400, 400, 400])
      expect(await Promise.all(['1', '500', '100000'].map(status))).toEqual([200, 200, 200])
      expect(await (await fetch(`${url}/rows?limit=2`)).json()).toEqual({
        items: [{ id: 0 }, { id: 1 }],
        nextCursor: encodeCursor(1),
      })
    },
  )
})
