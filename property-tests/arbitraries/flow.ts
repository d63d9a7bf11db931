/** How the world goes on: everybody in order, or one message, effect, timer or webhook out of it. */
import fc from 'fast-check'
import { few, hear, nothing, on, saying, type Weighted } from './acts.ts'

export const flow: readonly Weighted[] = [
  saying(
    16,
    fc.constantFrom(1, 2, 4, 8, 16),
    (steps) => `everybody goes on for ${steps} steps`,
    (world, steps) => {
      for (let step = 0; step < steps; step++) if (!world.cooperate()) return
    },
  ),
  saying(
    8,
    few,
    (index) => `mail ${index} arrives`,
    ({ actors }, index) => on(actors.channels, index, (channel) => actors.deliver(channel)),
  ),
  saying(
    8,
    few,
    (index) => `effect ${index} is performed`,
    (world, index) => on(world.actors.performable, index, (effect) => world.perform(effect)),
  ),
  saying(
    2,
    few,
    (index) => `effect ${index} is performed, its answer lost`,
    (world, index) => on(world.actors.performable, index, (effect) => world.perform(effect, 'lost')),
  ),
  saying(
    1,
    few,
    (index) => `effect ${index} fails for good`,
    (world, index) => on(world.actors.performable, index, (effect) => world.perform(effect, 'failed')),
  ),
  saying(
    4,
    few,
    (index) => `timer ${index} fires`,
    ({ actors }, index) => on(actors.timers, index, (timer) => actors.fire(timer)),
  ),
  saying(
    2,
    few,
    (index) => `webhook ${index} arrives`,
    ({ forge }, index) => on(forge.dirty, index, (subject) => forge.tell(subject)),
  ),
  saying(
    4,
    few,
    (index) => `webhook ${index} is heard at once`,
    (world, index) => on(world.forge.dirty, index, (subject) => hear(world, subject)),
  ),
  saying(
    1,
    nothing,
    () => 'everything is told again',
    ({ forge }) => {
      for (const subject of [...forge.issues, ...forge.mergeRequests]) subject.isDirty = true
    },
  ),
]

export const ofThePlatform: readonly Weighted[] = [
  saying(
    2,
    fc.boolean(),
    (isZombie, index) => `pod ${index} vanishes${isZombie ? ', and its agent goes on' : ''}`,
    ({ processes }, isZombie, index) => on(processes.alive, index, (process) => processes.vanish(process, isZombie)),
  ),
  saying(
    2,
    fc.constantFrom(0, 1, 2),
    (slots) => `the operator gives ${slots} slots`,
    (world, slots) => world.configure(slots),
  ),
  saying(
    2,
    fc.constantFrom('open' as const, 'open' as const, 'normalHeld' as const, 'allHeld' as const),
    (state) => `the token budget is ${state}`,
    (world, state) => world.budget(state),
  ),
]
