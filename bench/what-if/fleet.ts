/** Journals of so many Tasks as `statewright export` writes them: lives of the prover's worlds, told again under other names. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { machines } from '../../machines/registry.ts'
import { journalsOf } from '../../property-tests/prove/journals.ts'
import { bundleFormat, type ActorBundle } from '../../runtime/journal/bundle/schema.ts'
import { machineHash } from '../../runtime/step/machine-hash.ts'

export interface Fleet {
  readonly folder: string
  readonly tasks: number
  readonly events: number
  readonly megabytes: number
  /** Tasks whose journals are not another's under a new name. */
  readonly distinct: number
}

export interface FleetSize {
  readonly tasks: number
  readonly events: number
  readonly lives: number
}

const tasksOfAFile = 500

/** At least so many Tasks and at least so many events. */
export async function writeFleet({ tasks, events, lives }: FleetSize): Promise<Fleet> {
  const definition = machines.find(({ kind }) => kind === 'task')!
  const hash = machineHash(definition)
  const lived = Array.from({ length: lives }, (_, seed) => journalsOf(seed, hash)).flat()
  const folder = await mkdtemp(join(tmpdir(), 'statewright-fleet-'))
  const written = { tasks: 0, events: 0, megabytes: 0 }
  for (let file = 0; written.tasks < tasks || written.events < events; file++) {
    const actors = Array.from({ length: tasksOfAFile }, (_, index) => {
      const number = written.tasks + index
      return renamed(lived[number % lived.length]!, number)
    })
    const text = JSON.stringify({ format: bundleFormat, program: '0.0.0', exportedAt: 0, actors })
    await writeFile(join(folder, `${String(file).padStart(4, '0')}.json`), text)
    written.tasks += actors.length
    written.events += actors.reduce((sum, actor) => sum + actor.events.length, 0)
    written.megabytes += text.length / 1e6
  }
  return { folder, ...written, distinct: Math.min(lived.length, written.tasks) }
}

/** Guards compare a Task's own name with what it hears, so it is changed wherever it stands; names hold letters, digits, - and /. */
function renamed(bundle: ActorBundle, number: number): ActorBundle {
  const id = bundle.address.slice(bundle.address.indexOf(':') + 1)
  const name = new RegExp(`${id}\\b`, 'g')
  return JSON.parse(JSON.stringify(bundle).replaceAll(name, `${id}-${number}`)) as ActorBundle
}
