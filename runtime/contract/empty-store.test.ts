import { expect, test } from 'vitest'
import type { Sql } from '../store/sql.ts'
import { awaitedSql, emptyStore } from './empty-store.ts'

test('a store is emptied once the statements have ended that somebody sent and hears nothing more of', async () => {
  const sent: string[] = []
  const held = Promise.withResolvers<void>()
  const sql = awaitedSql({
    async exec(text: string) {
      sent.push(text)
    },
    tx: () => held.promise.then(() => void sent.push('commit')),
  } as unknown as Sql)
  void sql.tx(async () => undefined)
  const emptied = emptyStore(sql)
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toEqual([])
  held.resolve()
  await emptied
  expect(sent).toEqual(['commit', expect.stringContaining('truncate')])
})
