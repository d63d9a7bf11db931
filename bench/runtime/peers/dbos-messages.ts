/** A cell: DBOS workflows that receive ten messages; the sender awaits each send. Effect: the workflow has the message. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { runCell } from '../../kit/measure/cell.ts'
import { until } from '../../kit/measure/closed-loop.ts'
import type { Window } from '../../kit/measure/closed-loop.ts'
import { launchDbos } from './dbos.ts'

const messagesOfWorkflow = 10
const receiveSeconds = 600
const topic = 'event'

interface Sent {
  readonly at: number
  readonly window: Window
}

await runCell(async (spec) => {
  const underWay = new Map<string, Sent>()
  const receiver = DBOS.registerWorkflow(
    async (id: string) => {
      for (let count = 0; count < messagesOfWorkflow; count++) {
        const message = await DBOS.recv<{ readonly key: string }>(topic, receiveSeconds)
        const sent = underWay.get(message?.key ?? '')
        if (!sent) throw new Error(`${id} received what nobody sent`)
        sent.window.effectBegan(performance.now() - sent.at)
        underWay.delete(message!.key)
      }
    },
    { name: 'receiver' },
  )
  await launchDbos(spec)
  let count = 0
  return {
    async once(_client, window) {
      const id = `${spec.tag}-${count++}`
      const handle = await DBOS.startWorkflow(receiver, { workflowID: id })(id)
      for (let index = 0; index < messagesOfWorkflow; index++) {
        // A workflow that is left waiting goes with the process and its database.
        if (!window.isOpen()) return
        const key = `${id}:${index}`
        const at = performance.now()
        underWay.set(key, { at, window })
        await DBOS.send(id, { key }, topic)
        window.acknowledged(performance.now() - at)
      }
      await handle.getResult()
    },
    drained: () => until(() => underWay.size === 0, 'all messages received'),
    close: async () => undefined,
  }
})
