/**
 * The simulation runs in processes of its own: node loads the sources with git and time of the forge replaced, and
 * rewrites them for the negative controls. The long form: `npm run simulate -- --seeds 10000`.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { plantedBugs } from './bugs.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

interface Run {
  readonly code: number | string | null | undefined
  readonly lines: readonly string[]
  readonly told: string
}

interface Report {
  readonly seeds: number
  readonly failures: readonly object[]
  readonly points: { readonly known: readonly string[]; readonly diedAt: readonly string[] }
}

function simulate(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 26 }
    execFile(process.execPath, [program, ...flags], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, lines: stdout.trim().split('\n'), told: stderr }),
    )
  })
}

/** In two processes, so that both cores of a small machine are of use. */
const seedsEach = 100
const timeout = 900_000
const leastShare = 0.95

describe('the whole system under a seed', { timeout }, () => {
  it('holds every law in 200 lives full of crashes, lost webhooks and lying agents, and dies at nearly every point there is', async () => {
    const runs = await Promise.all(
      [1, 1 + seedsEach].map((from) => simulate(['--json', '--seeds', String(seedsEach), '--from', String(from)])),
    )
    const reports = runs.map(({ lines, told, code }) => {
      expect(code, told).toBe(0)
      return JSON.parse(lines.at(-1)!) as Report
    })
    expect(reports.map(({ seeds }) => seeds)).toEqual([seedsEach, seedsEach])
    const { known } = reports[0]!.points
    const diedAt = new Set(reports.flatMap(({ points }) => points.diedAt))
    const missing = known.filter((point) => !diedAt.has(point))
    expect(diedAt.size / known.length, `not at ${missing.join('; ')}`).toBeGreaterThanOrEqual(leastShare)
  })

  it('lives a seed the same way again, in one process and in another with another time zone and thread pool', async () => {
    const flags = ['--seeds', '3', '--from', '40', '--repeat', '2', '--hashes']
    const [here, there] = await Promise.all([
      simulate(flags, { TZ: 'Pacific/Apia', UV_THREADPOOL_SIZE: '1' }),
      simulate(flags, { TZ: 'America/St_Johns', UV_THREADPOOL_SIZE: '7' }),
    ])
    expect(here.lines).toHaveLength(6)
    expect(new Set(here.lines).size).toBe(3)
    expect(here.lines.slice(3)).toEqual(here.lines.slice(0, 3))
    expect(there.lines).toEqual(here.lines)
  })

  it('finds each planted bug', async () => {
    const { lines, told } = await simulate(['--bugs', '--seeds', '60', '--json'])
    const found = JSON.parse(lines.at(-1)!) as readonly { readonly bug: string; readonly found: boolean }[]
    expect(
      found.filter((one) => one.found).map(({ bug }) => bug),
      told,
    ).toEqual(plantedBugs.map(({ name }) => name))
  })
})
