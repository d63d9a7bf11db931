/**
 * The limit of a recovery: the rows that say what is pending read in one statement, each effect taken out of its step, and all
 * of them settled by another statement. No lease, no fence, and nobody performs anything. Actors are not folded: a recovery
 * loads one only when something comes for it.
 */
import pg from 'pg'

interface Stored {
  readonly address: string
  readonly pending: string
  readonly effects: string
}

const left = `select a.address, a.pending, e.effects from actor a
  join event e on e.actor = a.address and e.seq = a.seq where a.pending is not null`

const { url, actors } = JSON.parse(process.argv[2] ?? '') as { readonly url: string; readonly actors: number }
const client = new pg.Client(url)
await client.connect()
const startedAt = performance.now()
const { rows } = await client.query<Stored>(left)
const found = rows.flatMap(({ pending, effects }) => {
  const index = Number(pending.slice(pending.indexOf('.') + 1, pending.indexOf(':')))
  return (JSON.parse(effects) as readonly object[])[index] ?? []
})
const { rowCount } = await client.query('update actor set pending = null where pending is not null')
const settledMs = performance.now() - startedAt
if (found.length !== actors || rowCount !== actors)
  throw new Error(`${found.length} effects were found and ${rowCount} settled, not ${actors}`)
console.log(JSON.stringify({ settledMs }))
await client.end()
