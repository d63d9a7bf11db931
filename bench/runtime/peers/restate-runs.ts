/** A cell: Restate handlers of ten `ctx.run` steps that do nothing. A step is the operation. */
import { runCell } from '../../kit/measure/cell.ts'
import { restateCaller } from './restate-call.ts'

const runsOfHandler = 10

await runCell(async (spec) => {
  const { call, close } = restateCaller(spec.store)
  return {
    async once(_client, window) {
      await call('/steps/ten', {})
      window.completed(runsOfHandler)
    },
    close: async () => close(),
  }
})
