/** Shares the mutants among two processes, which load instrumented machines, and says what became of them. */
import { execFileSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Fate, Judged } from './run.ts'
import { reasonFor } from './survivors.ts'

export interface Asked {
  readonly isJson: boolean
  readonly tenth?: string
  readonly only?: string
  /** Without a search in the worlds for what lives on. */
  readonly isAlone: boolean
}

const shares = 2
/** Killed of the whole registry, those that no step can tell apart among all: below it a law or a row has gone blind. */
const floor = 0.95

function commitTenth(): number {
  return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8), 16) % 10
}

/** Exit code 0: who survives has its reason, nobody who has one is killed, and of the whole registry enough are killed. */
export async function runMutants({ isJson, tenth, only, isAlone }: Asked): Promise<number> {
  const chosen = tenth === 'commit' ? String(commitTenth()) : tenth
  if (chosen !== undefined && !/^[0-9]$/.test(chosen)) throw new Error('--tenth is one digit, or "commit"')
  const parameters = [
    ...(chosen === undefined ? [] : ['--tenth', chosen]),
    ...(only === undefined ? [] : ['--only', only]),
    ...(isAlone ? ['--states', '0'] : []),
  ]
  const judged: Judged[] = []
  const say = (one: Judged): void => {
    judged.push(one)
    if (isJson) console.log(JSON.stringify(one))
    else if (isFault(one)) console.log(faultOf(one))
  }
  if (!isJson && chosen !== undefined) console.log(`mutants of tenth ${chosen}`)
  await Promise.all(Array.from({ length: shares }, (_, share) => shareOf(share, parameters, say)))
  console.log(isJson ? JSON.stringify({ killedBy: byFinder(judged) }) : table(judged))
  return verdict(judged, chosen === undefined && only === undefined)
}

function verdict(judged: readonly Judged[], isWhole: boolean): number {
  const killed = judged.filter(({ fate }) => fate === 'killed').length
  const known = judged.filter((one) => one.fate !== 'killed' && reasonFor(one) !== undefined).length
  const faults = judged.filter(isFault).length
  const share = judged.length === 0 ? 1 : killed / judged.length
  console.log(
    `${judged.length} mutants, ${killed} killed (${(share * 100).toFixed(1)} %; of all at least ${floor * 100} %), ${known} survive with a reason, ${faults} are not as the list of survivors says`,
  )
  return faults === 0 && (!isWhole || share >= floor) ? 0 : 1
}

/** The list of survivors is exact: who is not on it dies, who is on it lives. */
function isFault(one: Judged): boolean {
  return (one.fate === 'killed') === (reasonFor(one) !== undefined)
}

function faultOf(one: Judged): string {
  return one.fate === 'killed'
    ? `killed, though the list of survivors says why it lives: ${one.name} (${one.what ?? ''})`
    : `${one.fate} without a reason: ${one.name}`
}

function shareOf(share: number, parameters: readonly string[], say: (one: Judged) => void): Promise<void> {
  const instrument = fileURLToPath(new URL('./instrument.ts', import.meta.url))
  const program = fileURLToPath(new URL('./main.ts', import.meta.url))
  const flags = ['--disable-warning=ExperimentalWarning', '--import', instrument]
  const child = spawn(process.execPath, [...flags, program, '--share', `${share}/${shares}`, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Judged | { readonly count: number }
    if ('fate' in said) say(said)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`a share of the mutants ended with ${code}`)),
    )
  })
}

const fates: readonly Fate[] = ['killed', 'survived', 'unreached', 'threw']

/** Who finds a mutant: the table said a second time, the law of rest, a law of docs/laws.md by its number, or one by its name. */
const finders = ['rows', 'rest', 'numbered', 'named'] as const
type Finder = (typeof finders)[number]

function finderOf({ fate, law }: Judged): Finder | undefined {
  if (fate !== 'killed') return undefined
  if (law === 'rows' || law === 'rest') return law
  return typeof law === 'number' ? 'numbered' : 'named'
}

function byFinder(judged: readonly Judged[]): Readonly<Record<Finder, number>> {
  const count = (finder: Finder): number => judged.filter((one) => finderOf(one) === finder).length
  return { rows: count('rows'), rest: count('rest'), numbered: count('numbered'), named: count('named') }
}

function rowOf(name: string, own: readonly Judged[]): readonly string[] {
  const byFate = fates.map((fate) => own.filter((one) => one.fate === fate).length)
  return [name, ...[own.length, ...byFate, ...Object.values(byFinder(own))].map(String)]
}

function table(judged: readonly Judged[]): string {
  const machines = [...new Set(judged.map(({ machine }) => machine))].toSorted()
  const rows = machines.map((machine) =>
    rowOf(
      machine,
      judged.filter((one) => one.machine === machine),
    ),
  )
  const heads = ['machine', 'mutants', ...fates, ...finders.map((finder) => `by ${finder}`)]
  return [heads, ...rows, rowOf('all', judged)]
    .map((row) => row.map((cell, index) => (index === 0 ? cell.padEnd(15) : cell.padStart(12))).join(''))
    .join('\n')
}
