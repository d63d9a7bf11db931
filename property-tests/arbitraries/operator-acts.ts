/** What operators do by the command line: they withhold, and give back what they withheld. */
import fc from 'fast-check'
import { nothing, on, saying, type Weighted } from './acts.ts'

export const ofOperators: readonly Weighted[] = [
  saying(
    1,
    nothing,
    (_no, index) => `an operator holds Task ${index}`,
    (world, _no, index) =>
      on(world.actors.known('task'), index, (task) =>
        world.order(`task:${task}`, { type: 'task.hold', by: 'ada', reason: 'a look' }),
      ),
  ),
  saying(
    1,
    nothing,
    (_no, index) => `an operator retries Task ${index}`,
    (world, _no, index) =>
      on(world.actors.known('task'), index, (task) => world.order(`task:${task}`, { type: 'task.retry', by: 'ada' })),
  ),
  saying(
    1,
    fc.constantFrom('queue.paused', 'queue.resumed', 'queue.resumed'),
    (type) => `an operator's ${type}`,
    (world, type) => {
      for (const project of world.actors.known('queue'))
        world.order(`queue:${project}`, { type, by: 'ada', reason: 'a look' })
    },
  ),
]
