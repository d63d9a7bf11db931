/** The service behind the Restate server: a virtual object that steps the same machine, and a handler of ten runs. */
import * as restate from '@restatedev/restate-sdk'
import { initialTransition, transition } from 'xstate'
import { ringMachine } from '../contenders/machine.ts'
import type { RingEvent } from '../contenders/machine.ts'

const runsOfHandler = 10
const { port } = JSON.parse(process.argv[2] ?? '') as { readonly port: number }
const initial = ringMachine.getPersistedSnapshot(initialTransition(ringMachine)[0])

type Persisted = { readonly value: unknown; readonly context: unknown }

const actor = restate.object({
  name: 'actor',
  handlers: {
    async move(context: restate.ObjectContext, event: RingEvent): Promise<number> {
      const { value, context: data } = ((await context.get('snapshot')) ?? initial) as Persisted
      const snapshot = ringMachine.resolveState({ value, context: data } as never)
      const [next] = transition(ringMachine, snapshot, event)
      context.set('snapshot', ringMachine.getPersistedSnapshot(next))
      return 1
    },
  },
})

const steps = restate.service({
  name: 'steps',
  handlers: {
    async ten(context: restate.Context): Promise<number> {
      for (let step = 0; step < runsOfHandler; step++) await context.run(`step ${step}`, () => step)
      return runsOfHandler
    },
  },
})

await restate.serve({ services: [actor, steps], port })
console.log('{}')
