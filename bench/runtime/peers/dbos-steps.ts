/** A cell: DBOS workflows of ten steps that do nothing. A step, durable before the next begins, is the operation. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { runCell } from '../../kit/measure/cell.ts'
import type { Window } from '../../kit/measure/closed-loop.ts'
import { launchDbos } from './dbos.ts'

const stepsOfWorkflow = 10

await runCell(async (spec) => {
  const windows = new Map<string, Window>()
  const tenSteps = DBOS.registerWorkflow(
    async (id: string) => {
      const window = windows.get(id)!
      // It ends early when the window closes: what is measured is steps, and nothing is replayed here.
      for (let step = 0; step < stepsOfWorkflow && window.isOpen(); step++) {
        const at = performance.now()
        await DBOS.runStep(async () => step, { name: 'step' })
        window.acknowledged(performance.now() - at)
      }
    },
    { name: 'tenSteps' },
  )
  await launchDbos(spec)
  let count = 0
  return {
    async once(_client, window) {
      const id = `${spec.tag}-${count++}`
      windows.set(id, window)
      const handle = await DBOS.startWorkflow(tenSteps, { workflowID: id })(id)
      await handle.getResult()
      windows.delete(id)
    },
    close: async () => undefined,
  }
})
