/** A cell: the classic way by hand. A transaction an event: lock the row, read it, step, write all, commit. */
import pg from 'pg'
import { runCell } from '../../kit/measure/cell.ts'
import { eventIds } from '../contenders/event-ids.ts'
import { actorTurns } from '../contenders/turns.ts'
import { restored, stepped } from './step.ts'
import { storeStep } from './store-step.ts'

const connections = 32

await runCell(async (spec) => {
  const pool = new pg.Pool({ connectionString: spec.store, max: connections })
  const pick = actorTurns(spec)
  const nextId = eventIds(spec.tag)
  async function step(actor: number, id: string): Promise<void> {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ rev: string; snapshot: string }>({
        name: 'lock',
        text: 'select rev, snapshot from actor where id = $1 for update',
        values: [actor],
      })
      const { rev, snapshot } = rows[0]!
      const event = { type: 'ring.moved', at: Date.now(), id }
      const { body, effects } = stepped(restored(JSON.parse(snapshot)), event)
      const values = [actor, body, rev, id, JSON.stringify(event), effects]
      const { rowCount } = await client.query({ name: 'store', text: storeStep, values })
      if (rowCount !== 1) throw new Error(`actor ${actor} was not at ${rev}`)
      await client.query('commit')
    } finally {
      client.release()
    }
  }
  return {
    async once(client, window) {
      const at = performance.now()
      await step(pick(client), nextId())
      window.acknowledged(performance.now() - at)
    },
    close: () => pool.end(),
  }
})
