/** The short form. It starts a Postgres of its own; DATABASE_URL only says that the machine has one. */
import { expect, it } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { faultWeights } from './faults.ts'
import { run, type RunSettings } from './run.ts'

/** Of each control. */
const mostRuns = 5

const lines: string[] = []
const quiet = { seed: 4, say: (line: string) => void lines.push(line) }

describeRequiring('postgres', 'chaos among processes', () => {
  it('breaks no law in ten rounds, with every kind of fault among them', { timeout: 300_000 }, async () => {
    const verdict = await run({ ...quiet, rounds: 10, plants: [] })
    expect(verdict.broken, lines.join('\n')).toEqual([])
    expect(verdict.acknowledged).toBeGreaterThan(100)
    expect(verdict.takeovers).toBeGreaterThan(24)
    expect(Object.keys(verdict.faults).toSorted()).toEqual(Object.keys(faultWeights).toSorted())
  })

  /** What a planted bug breaks, over as many runs as it takes: on a busy machine one may pass without a chance for it. */
  async function brokenBy(settings: Omit<RunSettings, 'seed' | 'say'>, laws: readonly RegExp[]): Promise<string> {
    let broken = ''
    for (let seed = quiet.seed; seed < quiet.seed + mostRuns && !laws.every((law) => law.test(broken)); seed++)
      broken += (await run({ ...quiet, ...settings, seed })).broken.join('\n')
    return broken
  }

  it('finds a runtime that acknowledges before it commits', { timeout: 300_000 }, async () => {
    const lost = /R1: .* was acknowledged and is lost/
    expect(await brokenBy({ rounds: 1, faults: { kill: 1 }, plants: ['early-ack'] }, [lost])).toMatch(lost)
  })

  it(
    'finds a runtime that does not notice its pauses, in what it commits and in what it begins',
    { timeout: 300_000 },
    async () => {
      const laws = [/R5: .* without owning its shard/, /R5: .* began .*, which was/]
      const settings: Parameters<typeof brokenBy>[0] = {
        rounds: 4,
        faults: { pause: 1 },
        plants: ['no-fence', 'blind-to-pauses'],
      }
      const broken = await brokenBy(settings, laws)
      for (const law of laws) expect(broken).toMatch(law)
    },
  )
})
