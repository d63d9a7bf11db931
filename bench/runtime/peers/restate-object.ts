/** A cell: events to Restate virtual objects that read, step and set the snapshot. */
import { runCell } from '../../kit/measure/cell.ts'
import { eventIds } from '../contenders/event-ids.ts'
import { actorTurns } from '../contenders/turns.ts'
import { restateCaller } from './restate-call.ts'

await runCell(async (spec) => {
  const { call, close } = restateCaller(spec.store)
  const pick = actorTurns(spec)
  const nextId = eventIds(spec.tag)
  return {
    async once(client, window) {
      const at = performance.now()
      await call(`/actor/${spec.tag}-${pick(client)}/move`, { type: 'ring.moved', at: Date.now(), id: nextId() })
      window.acknowledged(performance.now() - at)
    },
    close: async () => close(),
  }
})
