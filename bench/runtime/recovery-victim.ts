/** Has an effect of each actor under way that never ends, says so, and waits to be killed. */
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { actorOf, startOwnRuntime } from './contenders/own-runtime.ts'

const { url, actors } = JSON.parse(process.argv[2] ?? '') as { readonly url: string; readonly actors: number }
const sql = await openPgSql({ url })
const runtime = await startOwnRuntime(sql, () => new Promise(() => undefined))
const atOnce = 1000
for (let first = 0; first < actors; first += atOnce) {
  const indexes = Array.from({ length: Math.min(atOnce, actors - first) }, (_, offset) => first + offset)
  await Promise.all(
    indexes.map((index) =>
      runtime.deliver({
        to: actorOf(index),
        key: `before-${index}`,
        event: { type: 'ring.moved', at: Date.now(), id: `before-${index}` },
      }),
    ),
  )
}
console.log(JSON.stringify({ pending: (await runtime.pendingEffects()).length }))
setInterval(() => undefined, 60_000)
