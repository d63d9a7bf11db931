/** `npm run prove -- --mutants`: see the usage in `../main.ts`. Started with `--import ./instrument.ts`. */
import { parseArgs } from 'node:util'
import { allMutants, Runner, type Judged } from './run.ts'
import { tenthOf } from './tenth.ts'

const { values } = parseArgs({
  options: {
    tenth: { type: 'string' },
    only: { type: 'string' },
    states: { type: 'string', default: '400' },
    explored: { type: 'string', default: '6000' },
    times: { type: 'string', default: '1' },
    share: { type: 'string', default: '0/1' },
    count: { type: 'boolean', default: false },
  },
})

const [share = 0, shares = 1] = values.share.split('/').map(Number)
const { only, tenth } = values
const all = allMutants()
const wanted = only?.split(',') ?? []
const areMachines = wanted.every((one) => all.some(({ machine }) => machine === one))
const mutants = all
  .filter(({ name, machine }) => only === undefined || (areMachines ? wanted.includes(machine) : name.includes(only)))
  .filter(({ name }) => tenth === undefined || tenthOf(name) === Number(tenth))
  .filter(({ machine }) => shareOf(machine) === share)

/** A share is whole machines, for each is lived through once: the Task is as much as all others, and rules are of all. */
function shareOf(machine: string): number {
  return machine === 'task' || machine === 'rules' || shares === 1 ? 0 : 1
}

function line(judged: Judged | { readonly count: number; readonly names?: readonly string[] }): void {
  process.stdout.write(`${JSON.stringify(judged)}\n`)
}

line({ count: mutants.length, ...(values.count ? { names: mutants.map(({ name }) => name) } : {}) })
if (!values.count) {
  const { states, explored, times } = values
  const effort = { states: Number(states), explored: Number(explored), times: Number(times) }
  const runner = new Runner(mutants, effort)
  for (const mutant of mutants) line(runner.judge(mutant))
}
