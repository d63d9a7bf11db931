/** A cell: the best that a statement an event gives by hand. Snapshots stay in memory, one round trip writes all. */
import pg from 'pg'
import type { AnyMachineSnapshot } from 'xstate'
import { runCell } from '../../kit/measure/cell.ts'
import { eventIds } from '../contenders/event-ids.ts'
import { actorTurns } from '../contenders/turns.ts'
import { restored, stepped } from './step.ts'
import { storeStep } from './store-step.ts'

const connections = 32

interface Hot {
  readonly snapshot: AnyMachineSnapshot
  readonly rev: number
}

await runCell(async (spec) => {
  const pool = new pg.Pool({ connectionString: spec.store, max: connections })
  const pick = actorTurns(spec)
  const nextId = eventIds(spec.tag)
  const hot = new Map<number, Hot>()
  async function step(actor: number, id: string): Promise<void> {
    const { snapshot, rev } = hot.get(actor) ?? { snapshot: restored(), rev: 0 }
    const event = { type: 'ring.moved', at: Date.now(), id }
    const { next, body, effects } = stepped(snapshot, event)
    const values = [actor, body, rev, id, JSON.stringify(event), effects]
    const { rowCount } = await pool.query({ name: 'store', text: storeStep, values })
    if (rowCount !== 1) throw new Error(`actor ${actor} was not at ${rev}`)
    hot.set(actor, { snapshot: next, rev: rev + 1 })
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
