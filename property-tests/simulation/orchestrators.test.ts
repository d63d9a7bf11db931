import { expect, test } from 'vitest'
import type { ComposedOrchestrator } from '../../orchestrator/wiring/compose.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { createWorld, type World } from '../runtime/simulation/world.ts'
import { Faults } from './faults.ts'
import type { Outside } from './network.ts'
import { Orchestrators, type Call } from './orchestrators.ts'
import type { Fault, Plan } from './plan.ts'
import { Stacks } from './stacks/cluster.ts'

const store = { durability: 'none' } as unknown as Sql
const knock: Call = { kind: 'operator', method: 'GET', path: '/', headers: {} }

/** Each life answers with the name that it holds its shards by. */
async function composed(name: string): Promise<ComposedOrchestrator> {
  const server = {
    app: { ready: async () => undefined, inject: async () => ({ statusCode: 200, headers: {}, payload: name }) },
  }
  return {
    outside: server,
    inside: server,
    runtime: { subscribe: () => undefined },
    listening: () => undefined,
    start: async () => undefined,
    begin: () => undefined,
    stop: async () => undefined,
  } as unknown as ComposedOrchestrator
}

function begun(...planned: readonly Fault[]): { readonly world: World; readonly orchestrators: Orchestrators } {
  const world = createWorld(1, store)
  const plan = { seed: 1, faults: planned, hasShortJournals: false } as unknown as Plan
  const faults = new Faults(plan, () => undefined)
  const orchestrators = new Orchestrators({
    world,
    plan,
    outside: { faults, stacks: new Stacks(world, undefined) } as unknown as Outside,
    compose: (_settings, { owner }) => composed(owner),
    heard: () => undefined,
  })
  orchestrators.begin()
  // Something happens each second: a run ends with the first thing after its time.
  const tick = (): void => world.after(1000, tick)
  tick()
  return { world, orchestrators }
}

async function answerAt({ world, orchestrators }: ReturnType<typeof begun>, atMs: number): Promise<string | undefined> {
  await world.run(() => false, atMs)
  let answer: { readonly body: string | undefined } | undefined
  void orchestrators.call(knock).then((answered) => (answer = { body: answered?.body }))
  await world.run(() => answer !== undefined, atMs + 1000)
  return answer?.body
}

const paused: Fault = { kind: 'pause', atMs: 200, forMs: 136_000 }
const crashed: Fault = { kind: 'crash', point: 'operator: come in', nth: 1, restartMs: 500 }

test('who dies is started again, under the same name', async () => {
  const run = begun(crashed)
  expect(await answerAt(run, 100)).toBeUndefined()
  expect(await answerAt(run, 2000)).toBe('orchestrator')
})

test('who takes over from a paused one and dies is started again beside it', async () => {
  const run = begun(paused, crashed)
  expect(await answerAt(run, 31_000)).toBeUndefined()
  expect(await answerAt(run, 33_000)).toBe('o3')
  expect(await answerAt(run, 200_000)).toBe('o3')
})

test('when calm comes the newest is left', async () => {
  const run = begun(paused)
  expect(await answerAt(run, 31_000)).toBe('o2')
  run.orchestrators.becalm()
  expect(await answerAt(run, 33_000)).toBe('o2')
  expect(run.world.lines.filter(({ text }) => text.includes('dies')).map(({ text }) => text)).toEqual([
    'o1 dies: it was replaced',
  ])
})
