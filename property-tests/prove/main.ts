/** `npm run prove -- --help`: exit code 0 when no law was broken; a search that was cut says so. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { allMachines } from '../../machines/registry.ts'
import { acceptanceBreaches, acceptanceLaw } from './acceptance.ts'
import { holdAlone } from './alone/hold.ts'
import { metInWorlds } from './alone/met.ts'
import { certificateFiles } from './certify.ts'
import { commutingBreaches, commutingLaw } from './commuting.ts'
import { runMutants } from './mutants/supervise.ts'
import type { Bounds, Breach, Explored } from './explore.ts'
import { everyWorld, prove, type Provable } from './prove.ts'
import { readOptions, refuseCall } from '../../testing/options.ts'

const usage = `usage: npm run prove -- [options]

Explores the running tables in worlds of a few Tasks, and checks every law in each state. It visits every state within a
number of deviations from the straight way. A deviation is an act of people, agents, faults, timers or disorder.
The prover prints the shortest story that breaks a law.

  --world NAME      explore this world only (repeat it for more; default: all)
  --list            print the worlds, with their deviations
  --long            allow one deviation more, and explore the Task alone to its end
  --deviations N    allow N deviations in each world (default: what --list prints)
  --states N        visit at most N states in each world (default 200000; with --long 5000000)
  --seconds N       spend at most N seconds on each world (default 600)
  --unless-certified  search only where code of the machines, the laws or the search differs from the certified one
  --certify         write machines/generated/certificates/ when no law is broken
  --json            print one line of JSON for each world

  --mutants         change one guard, conjunct, target, action, effect or timer at a time; a law must notice
  --tenth K         with --mutants: test one tenth of them, 0 to 9, or "commit" for the one that the commit's hash names
  --only TEXT       with --mutants: test those of the machines TEXT (a list with commas), or whose name contains TEXT
  --alone           with --mutants: do not search the worlds for survivors that are not listed

Example: npm run prove -- --mutants --only queue`

const values = readOptions(
  usage,
  {
    world: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    deviations: { type: 'string' },
    states: { type: 'string' },
    seconds: { type: 'string' },
    certify: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    tenth: { type: 'string' },
    only: { type: 'string' },
    alone: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  ['deviations', 'states', 'seconds'],
)

function whole(name: string, said: string | undefined, otherwise: number): number {
  if (said === undefined) return otherwise
  const number = Number(said)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} is a whole number`)
  return number
}

function chosen(): readonly Provable[] {
  const unknown = values.world.find((name) => !everyWorld.some((world) => world.name === name))
  if (unknown !== undefined)
    refuseCall(usage, `no world is called ${unknown}: ${everyWorld.map(({ name }) => name).join(', ')}`)
  return values.world.length === 0 ? everyWorld : everyWorld.filter(({ name }) => values.world.includes(name))
}

function boundsOf(world: Provable): Bounds {
  return {
    deviations: whole('deviations', values.deviations, values.long ? world.long : world.quick),
    states: whole('states', values.states, values.long ? 5_000_000 : 200_000),
    milliseconds: whole('seconds', values.seconds, 600) * 1000,
  }
}

function extentOf(deviations: number): string {
  if (deviations === Infinity) return 'complete'
  return `complete within ${deviations} deviation${deviations === 1 ? '' : 's'}`
}

function said({ world, states, transitions, depth, deviations, isComplete, seconds }: Explored): string {
  const extent = isComplete ? extentOf(deviations) : `CUT: ${extentOf(deviations)} only`
  return `${world}: ${states} states, ${transitions} transitions, ${depth} deep, ${seconds.toFixed(1)} s, ${extent}`
}

/** JSON knows no Infinity. */
function plainOf(explored: Explored): object {
  return { ...explored, deviations: explored.deviations === Infinity ? 'all' : explored.deviations }
}

function story({ law, what, path }: Breach): string {
  return [`  law ${law} is broken: ${what}`, ...path.map((move) => `    ${move}`)].join('\n')
}

/** Each machine alone, unless worlds were asked for by name: how many steps are not what their rows say. */
function provedAlone(): number {
  if (values.world.length > 0) return 0
  const met = metInWorlds()
  return allMachines.reduce((sum, definition) => {
    // A Task alone is some 300,000 steps, as long as all worlds together.
    const most = definition.kind === 'task' && !values.long ? 20_000 : Infinity
    const { kind, states, steps, breaches } = holdAlone(definition, met, most)
    console.log(
      values.json
        ? JSON.stringify({ alone: kind, states, steps, breaches })
        : `${kind} alone: ${states} states, ${steps} steps`,
    )
    if (!values.json) for (const what of breaches) console.log(`  a row is broken: ${what}`)
    return sum + breaches.length
  }, 0)
}

/** What no single moment can break: it is asked of many worlds together. */
function provedOfMany(): number {
  if (values.world.length > 0) return 0
  const asked = [
    { ...acceptanceLaw, breaches: acceptanceBreaches() },
    { ...commutingLaw, breaches: commutingBreaches() },
  ]
  return asked.reduce((sum, { law, says, breaches }) => {
    if (values.json) console.log(JSON.stringify({ law, says, breaches }))
    else for (const what of breaches) console.log(`  law ${law} is broken: ${what}`)
    return sum + breaches.length
  }, 0)
}

function main(): number {
  if (values.list) {
    console.log(
      everyWorld
        .map(({ name, says, quick, long }) => `${name}: ${says} (${extentOf(quick)}; --long: ${extentOf(long)})`)
        .join('\n'),
    )
    return 0
  }
  const now = (): number => performance.now()
  const onProgress = process.stderr.isTTY ? (line: string) => console.error(line) : undefined
  const results = chosen().map((world) => {
    const explored = prove(world, boundsOf(world), { now, ...(onProgress ? { onProgress } : {}) })
    console.log(values.json ? JSON.stringify(plainOf(explored)) : said(explored))
    if (!values.json) for (const breach of explored.breaches) console.log(story(breach))
    return explored
  })
  const broken = results.reduce((sum, { breaches }) => sum + breaches.length, 0) + provedOfMany() + provedAlone()
  if (!values.json)
    console.log(broken === 0 ? 'no law was broken' : `${broken} breaches; each story above is the shortest of its kind`)
  if (values.certify && broken === 0) {
    const folder = new URL('../../machines/generated/certificates/', import.meta.url)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, content] of certificateFiles(results)) writeFileSync(new URL(name, folder), content)
    console.log(`written: ${folder.pathname}`)
  }
  return broken === 0 ? 0 : 1
}

process.exitCode = values.mutants
  ? await runMutants({
      isJson: values.json,
      isAlone: values.alone,
      ...(values.tenth === undefined ? {} : { tenth: values.tenth }),
      ...(values.only === undefined ? {} : { only: values.only }),
    })
  : main()
