/**
 * The simulation runs in processes of its own: node loads the runtime's sources as they are there, and rewrites them for
 * the negative controls. The long form: `node property-tests/runtime/simulation/main.ts --seeds 20000`.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isDrawn } from '../../../testing/drawn.ts'
import { plantedBugs } from './bugs.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

interface Run {
  readonly code: number | string | null | undefined
  readonly lines: readonly string[]
  readonly told: string
}

function simulate(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 26 }
    execFile(process.execPath, [program, ...flags], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, lines: stdout.trim().split('\n'), told: stderr }),
    )
  })
}

/** Lived by each of two processes: what only chance finds, `npm run long -- simulate-runtime` looks for in 20,000. */
const schedules = 20
/** Far beyond that: a busy machine takes longer, and lives no fewer. */
const seconds = 1500
const timeout = 1_600_000

interface Report {
  readonly schedules: number
  readonly failures: readonly object[]
}

describe('the runtime under a seed', { timeout }, () => {
  it('holds every law in forty schedules: crashes, lost answers, pauses, jumping clocks, takeovers (R1-R9, R11)', async () => {
    const flags = ['--seeds', String(schedules), '--seconds', String(seconds), '--json']
    const runs = await Promise.all(['1', '500000'].map((from) => simulate([...flags, '--from', from])))
    const reports = runs.map(({ lines }) => JSON.parse(lines.at(-1)!) as Report)
    for (const [index, { told, code }] of runs.entries()) {
      expect(reports[index]!.failures, told).toEqual([])
      expect(code, told).toBe(0)
    }
    const lived = reports.reduce((sum, report) => sum + report.schedules, 0)
    console.log(`${lived} schedules of the runtime lived, none broke a law`)
    expect(lived).toBeGreaterThanOrEqual(2 * schedules)
  })

  it('fires timers at or after their time and once, wherever the clocks of the processes jump meanwhile (R8)', async () => {
    const { lines, told } = await simulate(['--jumps', '--seeds', '15', '--json'])
    expect((JSON.parse(lines.at(-1)!) as { failures: readonly object[] }).failures, told).toEqual([])
  })

  it('lives a seed the same way again, in one process and in another with another time zone and thread pool', async () => {
    const flags = ['--seeds', '6', '--from', '40', '--hashes']
    const [here, there] = await Promise.all([
      simulate([...flags, '--repeat', '2'], { TZ: 'Pacific/Apia', UV_THREADPOOL_SIZE: '1' }),
      simulate(flags, { TZ: 'America/St_Johns', UV_THREADPOOL_SIZE: '7' }),
    ])
    expect(here.lines).toHaveLength(12)
    expect(new Set(here.lines).size).toBe(6)
    expect(here.lines.slice(6)).toEqual(here.lines.slice(0, 6))
    expect(there.lines).toEqual(here.lines.slice(0, 6))
  })

  it.runIf(isDrawn('bugs of the runtime'))('finds each planted bug', async () => {
    const { lines, told } = await simulate(['--bugs', '--seeds', '400', '--json'])
    const found = JSON.parse(lines.at(-1)!) as readonly { bug: string; seed?: number }[]
    expect(
      found.filter((one) => one.seed !== undefined).map((one) => one.bug),
      told,
    ).toEqual(plantedBugs.map((bug) => bug.name))
  })
})
