/** The program of a pod that runs the stages which open a wrapper's walls: `node inside.ts SELECTION`, as JSON (cluster-run.ts). */
import { placeOf } from './places.ts'
import { runAll } from './run.ts'
import { selected, type Selection } from './selection.ts'
import { everySuite } from './suites.ts'

const selection = JSON.parse(process.argv[2]!) as Selection
const suites = selected(everySuite, selection).filter((suite) => placeOf(suite) === 'inside')
const { isShort, jobs } = selection
const outcomes = await runAll(suites, { isShort, jobs, told: (outcome) => console.log(JSON.stringify({ outcome })) })
console.log(JSON.stringify({ end: outcomes.length }))
// What a stage of a superuser leaves open would keep the pod running.
process.exit()
