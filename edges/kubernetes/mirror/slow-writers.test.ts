/** Law: whatever is slow, conflicts or dies, a status never goes back to an older one, and the newest one is there at last. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import { createStatusPatches } from './status-patches.ts'
import { createStatusWriter } from './status-writer.ts'
import { errorOf } from '../api/answers.ts'
import type { KubeObject } from '../api/api.ts'
import { FakeCache } from '../testing/fake-cache.ts'
import { MemoryServer } from '../testing/memory-server.ts'
import { at, aTask, settle, store } from '../testing/mirroring.ts'

/** A pause, by the place at which a writer stands: after it read the actors, before the server takes, after it took. */
type Pause = 'read' | 'before' | 'after'

type Move =
  | { readonly do: 'step' }
  | { readonly do: 'wake'; readonly writer: number }
  | { readonly do: 'go'; readonly pick: number }
  | { readonly do: 'lose'; readonly pick: number; readonly pause: Pause }
  | { readonly do: 'hear'; readonly writer: number }
  | { readonly do: 'time' }
  | { readonly do: 'die'; readonly writer: number }

const writer = fc.nat({ max: 1 })
const pick = fc.nat({ max: 5 })
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('step' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wake' as const), writer }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('go' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lose' as const), pick, pause: fc.constantFrom<Pause>('before', 'after') }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hear' as const), writer }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('time' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), writer }) },
)

interface Held {
  readonly pause: Pause
  go(fault?: Error): void
}

class World {
  readonly server = new MemoryServer()
  readonly clock = simulatedClock(at)
  readonly #held: Held[] = []
  readonly #heard: (() => void)[][] = [[], []]
  readonly #writers: ReturnType<typeof createStatusWriter>[] = []
  /** What each status that the server had was. */
  readonly seen: number[] = []
  #isOver = false
  truth = 1

  constructor() {
    this.server.create({
      kind: 'Task',
      name: 'default/a',
      spec: {},
      metadata: { labels: { 'platform.dev/made-by': 'orchestrator' } },
    })
    this.server.subscribe(({ status }) => void (typeof status?.['n'] === 'number' && this.seen.push(status['n'])))
    this.#writers.push(this.#writer(0), this.#writer(1))
  }

  #hold(pause: Pause): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resolve, reject) =>
      this.#held.push({ pause, go: (fault) => (fault === undefined ? resolve() : reject(fault)) }),
    )
  }

  #writer(index: number): ReturnType<typeof createStatusWriter> {
    const deliver = (change: () => void): void => void this.#heard[index]!.push(change)
    const caches = { Task: new FakeCache(this.server, 'Task', { deliver }) }
    const { logger } = captureLog()
    const ask: MemoryServer['ask'] = async <Answer>(...asked: Parameters<MemoryServer['ask']>) => {
      await this.#hold('before')
      const answer = await this.server.ask<Answer>(...asked)
      await this.#hold('after')
      return answer
    }
    return createStatusWriter({
      ...{ caches, clock: this.clock, random: () => 1, logger, orchestrator: store },
      patches: createStatusPatches({ client: { ask }, caches, logger }),
      objects: { settle: async () => 'there' },
      lifeOf: async () => '',
      statusOf: async () => ({}),
      derived: {
        get: async (): Promise<DerivedResource> => {
          const view = aTask('a', { stage: 'implementing', n: this.truth })
          await this.#hold('read')
          return view
        },
      },
    })
  }

  async make(step: Move): Promise<void> {
    if (step.do === 'step') this.truth += 1
    if (step.do === 'wake') this.#writers[step.writer]!.add('Task/default/a')
    if (step.do === 'hear') this.#heard[step.writer]!.splice(0).forEach((change) => change())
    if (step.do === 'time') this.clock.advance(1_000)
    if (step.do === 'go') this.#take(step.pick)?.go()
    if (step.do === 'lose') this.#lose(step.pick, step.pause)
    // What a dead process began, the server may still take.
    if (step.do === 'die') this.#writers[step.writer] = this.#writer(step.writer)
    await settleBriefly()
  }

  #take(index: number): Held | undefined {
    return this.#held.splice(index % Math.max(1, this.#held.length), 1)[0]
  }

  #lose(index: number, pause: Pause): void {
    const all = this.#held.filter((one) => one.pause === pause)
    const lost = all[index % Math.max(1, all.length)]
    if (lost === undefined) return
    this.#held.splice(this.#held.indexOf(lost), 1)
    lost.go(errorOf(0, { message: 'nobody answered' }))
  }

  /** Nothing is slow any more, and each writer looks once more. */
  async end(): Promise<void> {
    this.#isOver = true
    for (let round = 0; round < 6; round += 1) {
      this.#held.splice(0).forEach((one) => one.go())
      this.#heard.forEach((changes) => changes.splice(0).forEach((change) => change()))
      this.#writers.forEach((one) => one.add('Task/default/a'))
      await settle()
      this.clock.advance(61_000)
    }
  }

  statusOf(): KubeObject['status'] {
    return this.server.find('Task', 'default/a')?.status
  }
}

async function settleBriefly(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve()
}

test('a slow writer never puts an older status over a newer one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 60 }), async (moves) => {
      const world = new World()
      for (const one of moves) await world.make(one)
      await world.end()
      expect(world.seen).toEqual(world.seen.toSorted((one, next) => one - next))
      expect(world.statusOf()).toEqual({ stage: 'implementing', n: world.truth })
    }),
    { numRuns: 150 },
  )
}, 60_000)
