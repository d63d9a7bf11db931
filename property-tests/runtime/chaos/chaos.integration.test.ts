/** The short form. It starts a Postgres of its own; DATABASE_URL only says that the machine has one. */
import { expect, it } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { run } from './run.ts'

const lines: string[] = []
const quiet = { seed: 4, say: (line: string) => void lines.push(line) }

describeRequiring('postgres', 'chaos among processes', () => {
  it('breaks no law in ten rounds of kills, pauses, cuts and restarts', { timeout: 240_000 }, async () => {
    const verdict = await run({ ...quiet, rounds: 10, plants: [] })
    expect(verdict.broken, lines.join('\n')).toEqual([])
    expect(verdict.acknowledged).toBeGreaterThan(100)
    expect(verdict.takeovers).toBeGreaterThan(24)
  })

  it('finds a runtime that acknowledges before it commits', { timeout: 120_000 }, async () => {
    const verdict = await run({ ...quiet, rounds: 1, faults: { kill: 1 }, plants: ['early-ack'] })
    expect(verdict.broken.join('\n')).toMatch(/R1: .* was acknowledged and is lost/)
  })

  it(
    'finds a runtime that does not notice its pauses, in what it commits and in what it begins',
    { timeout: 120_000 },
    async () => {
      const verdict = await run({ ...quiet, rounds: 4, faults: { pause: 1 }, plants: ['no-fence', 'blind-to-pauses'] })
      expect(verdict.broken.join('\n')).toMatch(/R5: .* without owning its shard/)
      expect(verdict.broken.join('\n')).toMatch(/R5: .* began .*, which was/)
    },
  )
})
