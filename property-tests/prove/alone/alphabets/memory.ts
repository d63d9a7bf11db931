import { stepOf, type MemoryContext } from '../../../../machines/memory/context.ts'
import type { TimelessEvent } from '../walk.ts'

const whole = { commit: 'c1', due: 0, trouble: '' }
const found = [
  {},
  { lib: whole },
  { lib: { ...whole, due: 3 }, app: whole },
  { lib: { ...whole, due: 3, trouble: 'no room' }, app: { ...whole, trouble: 'no answer' } },
  { lib: { ...whole, due: 3, trouble: 'no room' }, app: { ...whole, due: 1 } },
]

export const memoryBirths: readonly TimelessEvent[] = [
  { type: 'memory.configured', fills: true },
  { type: 'memory.configured', fills: false },
]

export function memoryWords(context: object): readonly TimelessEvent[] {
  const runs = [stepOf(context as MemoryContext), 'memory/99']
  return [
    ...memoryBirths,
    { type: 'memory.outdated', repository: 'lib' },
    ...runs.flatMap((run) => [
      ...found.map((repositories) => ({ type: 'memory.filled', run, repositories })),
      { type: 'memory.held', run, reason: 'paused' },
    ]),
    ...['fillMemory', 'checkProject'].map((effect) => ({ type: 'effect.failed', effect, reason: 'no', key: 'k' })),
  ]
}
