/** What a key promises over the real tables of key and queue (MODEL-KEY, docs/rules.md), whatever comes in whatever order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyWorld } from './world.ts'

const projects = ['a', 'b', 'c'] as const
const project = fc.constantFrom(...projects)
const task = fc.nat({ max: 11 }).map((n) => `t${n}`)

type Act = (world: KeyWorld) => void

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: project.map((one) => (world: KeyWorld) => world.begin(one)) },
  {
    weight: 1,
    arbitrary: project.map((one) => (world: KeyWorld) => world.begin(one, { class: 'alert', priority: 0 })),
  },
  { weight: 6, arbitrary: task.map((one) => (world: KeyWorld) => world.turn(one)) },
  { weight: 3, arbitrary: task.map((one) => (world: KeyWorld) => world.cancel(one)) },
  {
    weight: 1,
    arbitrary: fc.tuple(project, fc.boolean()).map(
      ([one, is]) =>
        (world: KeyWorld) =>
          world.pause(one, is),
    ),
  },
  { weight: 2, arbitrary: project.map((one) => (world: KeyWorld) => world.join(one)) },
  { weight: 1, arbitrary: project.map((one) => (world: KeyWorld) => world.changeKeyAndBack(one)) },
  { weight: 3, arbitrary: fc.constant((world: KeyWorld) => world.due()) },
  { weight: 4, arbitrary: fc.constant((world: KeyWorld) => world.read()) },
  { weight: 2, arbitrary: fc.constant((world: KeyWorld) => world.settle()) },
  { weight: 2, arbitrary: fc.constant((world: KeyWorld) => void (world.provider = 'refuses')) },
  { weight: 1, arbitrary: fc.constant((world: KeyWorld) => void (world.provider = 'answers')) },
)

const story = fc.record({
  acts: fc.array(act, { minLength: 20, maxLength: 80, size: 'max' }),
  order: fc.infiniteStream(fc.nat()),
})

function live({ acts, order }: { readonly acts: readonly Act[]; readonly order: Iterator<number> }): KeyWorld {
  const world = new KeyWorld(projects, (of) => Number(order.next().value) % Math.max(1, of))
  for (const one of acts) one(world)
  world.settle()
  return world
}

test('while the model is withheld one Task at most has a turn, of one Project at a time (MODEL-KEY-2, MODEL-KEY-4)', () => {
  fc.assert(
    fc.property(story, (given) => {
      expect(live(given).breaches).toEqual([])
    }),
    { numRuns: 600 },
  )
})

test('once the provider answers, everybody who waits has a turn: no call of a queue is lost (MODEL-KEY-4, MODEL-KEY-5)', () => {
  fc.assert(
    fc.property(story, (given) => {
      const world = live(given)
      world.provider = 'answers'
      for (const one of projects) world.pause(one, false)
      for (let round = 0; round < 60; round += 1) {
        world.settle()
        world.due()
        world.settle()
        for (const name of world.tasks.keys()) world.turn(name)
      }
      world.settle()
      expect([...world.tasks].filter(([, { state }]) => state !== 'done').map(([name]) => name)).toEqual([])
      expect(world.breaches).toEqual([])
      if (world.tasks.size > 0 && world.hold !== null) expect(world.key.value).toBe('vacant')
    }),
    { numRuns: 600 },
  )
})
