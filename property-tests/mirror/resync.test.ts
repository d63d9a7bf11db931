/**
 * MIRROR-4: whatever each read of a resync answers, once the faults cease one resync gives the mirror of a run without faults,
 * and what stays gone costs itself alone.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  answers,
  calm,
  dialects,
  stateOf,
  withWorld,
  without,
  type Answer,
  type Dialect,
  type Script,
} from './testing/world.ts'

/** The answers come round again, so that a long reading meets faults to its end. */
function scripted(given: readonly Answer[], isGone: Script['isGone']): Script {
  let asked = 0
  return { next: () => given[asked++ % given.length]!, isGone }
}

const script = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Answer>('right') },
    { weight: 2, arbitrary: fc.constantFrom(...answers) },
  ),
  { minLength: 1, maxLength: 40 },
)
/** For good: nothing, the second wish, or its thread alone. */
function isGoneIn({ comments }: Dialect): Readonly<Record<string, Script['isGone']>> {
  return {
    nothing: () => false,
    'the second': (path) => /^\/issues\/2(\/|$)/.test(path),
    'its thread': (path) => path === `/issues/2/${comments}`,
  }
}
const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 12)

test.each(Object.entries(dialects))(
  'MIRROR-4: once the faults cease, one resync gives the mirror of a run without faults on %s',
  { timeout: 300_000 },
  async (_, dialect) => {
    const gone = isGoneIn(dialect)
    await withWorld(dialect, async (world) => {
      const plain = await world.copy()
      await world.resync(plain, calm)
      const right = await world.rows(plain)
      await fc.assert(
        fc.asyncProperty(script, script, fc.constantFrom(...Object.keys(gone)), async (first, second, what) => {
          const isGone = gone[what]!
          const faulty = await world.copy()
          await world.resync(faulty, scripted(first, isGone))
          await world.resync(faulty, scripted(second, isGone), 2)
          expect(await world.resync(faulty, { ...calm, isGone }, 3)).toBeUndefined()
          const rows = await world.rows(faulty)
          expect(stateOf(rows, 2)).toBe(what === 'the second' ? 'gone' : 'open')
          if (what === 'nothing') expect(rows).toEqual(right)
          else expect(without(rows, 2)).toEqual(without(right, 2))
        }),
        { numRuns, seed: 20261125, examples: Object.keys(gone).map((what) => [['right'], ['right'], what]) },
      )
    })
  },
)
