/**
 * The simulation runs in processes of its own: node loads the sources with git and time of the forge replaced, and
 * rewrites them for the negative controls. The long forms: `npm run simulate -- --seeds 200`, and `--bugs` for all controls.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

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
const seedsEach = 20
const timeout = 900_000

describe('the whole system under a seed', { timeout }, () => {
  it('holds every law in lives full of crashes, lost webhooks and lying agents', async () => {
    const runs = await Promise.all(
      [1, 1 + seedsEach].map((from) => simulate(['--json', '--seeds', String(seedsEach), '--from', String(from)])),
    )
    for (const { lines, told, code } of runs) {
      expect(code, told).toBe(0)
      const { seeds, failures, points } = JSON.parse(lines.at(-1)!) as Report
      expect({ seeds, failures }, told).toEqual({ seeds: seedsEach, failures: [] })
      expect(points.diedAt.length, told).toBeGreaterThan(0)
    }
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

  it.each(['no-head-pin', 'no-comment-key'])('finds the planted bug %s', async (bug) => {
    const { code, lines, told } = await simulate(['--bug', bug, '--seeds', '100', '--json'])
    expect(code, told).toBe(0)
    const { failures } = JSON.parse(lines.at(-1)!) as Report
    expect(failures.length, told).toBeGreaterThan(0)
  })
})
