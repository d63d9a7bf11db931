/** The peer: XState's own `transition` over the same events, and whether each Task ends in the state that was recorded. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { initialTransition, transition, type AnyMachineSnapshot } from 'xstate'
import type { MachineEvent } from '../../machines/definition.ts'
import { machines } from '../../machines/registry.ts'
import type { ActorBundle, BundleFile } from '../../runtime/bundle/schema.ts'
import { samePath, statePath } from '../../runtime/state-path.ts'

const { machine } = machines.find(({ kind }) => kind === 'task')!

function endOf({ address, events }: ActorBundle): string {
  const [first] = initialTransition(machine, { id: address.slice(address.indexOf(':') + 1) })
  const last = events.reduce<AnyMachineSnapshot>(
    (snapshot, { event }) => transition(machine, snapshot, event as MachineEvent)[0],
    first,
  )
  return statePath(last.value as never)
}

const folder = process.argv[2]!
let [tasks, events, different] = [0, 0, 0]
for (const file of readdirSync(folder)) {
  const { actors } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as BundleFile
  for (const actor of actors) {
    tasks += 1
    events += actor.events.length
    different += samePath(endOf(actor), actor.path) ? 0 : 1
  }
}
console.log(JSON.stringify({ tasks, events, different }))
