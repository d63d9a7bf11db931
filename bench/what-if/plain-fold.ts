/** The peer: XState's own `transition` over the same events, and whether each Task ends in the state that was recorded. */
import { initialTransition, transition, type AnyMachineSnapshot } from 'xstate'
import type { MachineEvent } from '../../machines/definition.ts'
import { machines } from '../../machines/registry.ts'
import type { ActorBundle } from '../../runtime/journal/bundle/schema.ts'
import { samePath, statePath } from '../../runtime/step/state-path.ts'
import { overJournals } from './over-journals.ts'

const { machine } = machines.find(({ kind }) => kind === 'task')!

function endOf({ address, events }: ActorBundle): string {
  const [first] = initialTransition(machine, { id: address.slice(address.indexOf(':') + 1) })
  const last = events.reduce<AnyMachineSnapshot>(
    (snapshot, { event }) => transition(machine, snapshot, event as MachineEvent)[0],
    first,
  )
  return statePath(last.value as never)
}

overJournals((actor) => !samePath(endOf(actor), actor.path))
