/** A few lives; continuous integration lives more beside the tests, and `--bugs` looks for all controls. */
import { describe, expect, it } from 'vitest'
import { drawnOf } from '../../testing/drawn.ts'
import type { Report } from './report.ts'
import { simulate } from './testing/simulate.ts'

const timeout = 900_000

describe('the whole system under a seed', { timeout }, () => {
  it('holds every law, and lives a seed the same way again, also in a process with another time zone and thread pool', async () => {
    const flags = ['--seeds', '2', '--from', '1', '--hashes', '--json']
    const [here, there] = await Promise.all([
      simulate([...flags, '--repeat', '2'], { TZ: 'Pacific/Apia', UV_THREADPOOL_SIZE: '1' }),
      simulate(flags, { TZ: 'America/St_Johns', UV_THREADPOOL_SIZE: '7' }),
    ])
    for (const { code, told } of [here, there]) expect(code, told).toBe(0)
    const [one, other] = [here, there].map(({ lines }) => JSON.parse(lines.at(-1)!) as Report)
    expect(one!.failures).toEqual([])
    expect(one!.hashes).toHaveLength(4)
    expect(new Set(one!.hashes).size).toBe(2)
    expect(one!.hashes.slice(2)).toEqual(one!.hashes.slice(0, 2))
    expect(other!.hashes).toEqual(one!.hashes.slice(0, 2))
    expect(one!.points.diedAt.length).toBeGreaterThan(0)
  })

  it.each([[1795827004, 'a paused queue tells a Task that waits for its pod that the model is withheld']])(
    'holds every law in %i, which once broke one: %s',
    async (seed) => {
      const { code, told } = await simulate(['--only', String(seed)])
      expect(code, told).toBe(0)
    },
  )

  it('finds planted bugs', async () => {
    // Each search begins at the life that found the bug last.
    const bugs = {
      'no-head-pin': 10,
      'deaf-to-changes': 8,
      'own-voice-heard': 1,
      'foreign-never-told': 54009,
      'deaf-to-a-new-base': 54016,
      'every-hand-is-the-authors': 64023,
      'plan-not-read-back': 90008,
    }
    const runs = await Promise.all(
      drawnOf(Object.entries(bugs), ([bug]) => bug).map(([bug, from]) =>
        simulate(['--bug', bug, '--from', String(from), '--seeds', '100', '--json']),
      ),
    )
    for (const { code, lines, told } of runs) {
      expect(code, told).toBe(0)
      expect((JSON.parse(lines.at(-1)!) as Report).failures.length, told).toBeGreaterThan(0)
    }
  })
})
