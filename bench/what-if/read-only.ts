/** The limit: the same files, read and parsed, and no event folded. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BundleFile } from '../../runtime/bundle/schema.ts'

const folder = process.argv[2]!
let [tasks, events] = [0, 0]
for (const file of readdirSync(folder)) {
  const { actors } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as BundleFile
  tasks += actors.length
  events += actors.reduce((sum, actor) => sum + actor.events.length, 0)
}
console.log(JSON.stringify({ tasks, events, different: 0 }))
