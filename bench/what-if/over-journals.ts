import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ActorBundle, BundleFile } from '../../runtime/journal/bundle/schema.ts'

/** Reads the fleet in the folder that the program was given, and prints its Tasks, its events and how many Tasks differ. */
export function overJournals(differs: (actor: ActorBundle) => boolean): void {
  const folder = process.argv[2]!
  let [tasks, events, different] = [0, 0, 0]
  for (const file of readdirSync(folder)) {
    const { actors } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as BundleFile
    for (const actor of actors) {
      tasks += 1
      events += actor.events.length
      different += differs(actor) ? 1 : 0
    }
  }
  console.log(JSON.stringify({ tasks, events, different }))
}
