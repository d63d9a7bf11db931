/** `node property-tests/injection/memory.ts --help`: exit code 0 when the filling of a memory broke no law, or the planted hole's one. */
import { readOptions, refuseCall } from '../../testing/options.ts'
import { plant } from '../plant.ts'
import { memoryHoles } from './memory-holes.ts'

const usage = `usage: node property-tests/injection/memory.ts [options]

Fills a memory from a forge and a repository full of hostile words, and lets an agent ask it. No law may break.

  --hole NAME    take this wall down first: its law must break`

const { hole: name } = readOptions(usage, { hole: { type: 'string' } })
const hole = memoryHoles.find((one) => one.name === name)
if (name !== undefined && hole === undefined)
  refuseCall(usage, `there is no hole ${name}: ${memoryHoles.map((one) => one.name).join(', ')}`)
if (hole !== undefined) plant(hole)

const { fillAndAsk } = await import('./memory-play.ts')
const broken = await fillAndAsk(hole)
process.stdout.write(`${JSON.stringify(broken)}\n`)
const isGood = hole === undefined ? broken.length === 0 : broken.some((fault) => hole.law.test(fault))
process.exitCode = isGood ? 0 : 1
