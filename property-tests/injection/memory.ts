/** `node property-tests/injection/memory.ts --help`: exit code 0 when the filling of a memory broke no law, or the planted hole's one. */
import { readOptions, refuseCall } from '../../testing/options.ts'
import { plant } from '../plant.ts'
import { memoryHoles } from './memory-holes.ts'

const usage = `usage: node property-tests/injection/memory.ts [options]

Fills a memory from a forge and a repository full of hostile words, and lets an agent ask it. No law may break.

  --hole NAME,...    take these walls down first: the law of each must break
  --dialect NAME     github or gitlab, which it is unless told
  --each N           N texts of each family; all unless told, and with a hole one`

const {
  hole: given,
  dialect,
  each: most,
} = readOptions(
  usage,
  {
    hole: { type: 'string' },
    dialect: { type: 'string', default: 'gitlab' },
    each: { type: 'string' },
  },
  ['each'],
)
const names = given === undefined ? [] : given.split(',')
const holes = memoryHoles.filter(({ name }) => names.includes(name))
const unknown = names.find((name) => !holes.some((hole) => hole.name === name))
if (unknown !== undefined)
  refuseCall(usage, `there is no hole ${unknown}: ${memoryHoles.map(({ name }) => name).join(', ')}`)
if (dialect !== 'github' && dialect !== 'gitlab') refuseCall(usage, `there is no dialect ${dialect}`)
// With a wall down one text a family shows the same, and costs less.
const each = most === undefined ? (holes.length === 0 ? undefined : 1) : Number(most)
for (const hole of holes) plant(hole)

const { fillAndAsk } = await import('./memory-play.ts')
const broken = await fillAndAsk(dialect, holes, each)
process.stdout.write(`${JSON.stringify(broken)}\n`)
const isGood =
  holes.length === 0 ? broken.length === 0 : holes.every(({ law }) => broken.some((fault) => law.test(fault)))
process.exitCode = isGood ? 0 : 1
