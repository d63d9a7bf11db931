/**
 * `npm run long -- dashboards`: a real Prometheus scrapes a demo from its start to its end, and answers every query of the
 * dashboards and the alerts. Then the commands of the runbooks run against the store of the demo. The stub CLI plays the agent.
 * Prints what had no data, and fails for what should have had some, and for a command that fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { ciScript } from '../../../testing/ci-script.ts'
import { judgeQueries } from './judge-queries.ts'
import { end, startPrometheus, type Prometheus } from './prometheus.ts'
import { runbookFaults } from './runbooks.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const startLimitMs = 180_000

/** Of the demo's own, which it reads from the journals. */
interface Report {
  readonly faults: readonly string[]
  readonly turns: readonly { readonly tokens: number }[]
  readonly pods: readonly object[]
}

async function main(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-queries-'))
  // The server's own user must reach it.
  const postgres = await mkdtemp(join(tmpdir(), 'demo-postgres-'))
  const server = await ciScript('postgres.sh', ['start', postgres])
  const dir = join(folder, '.statewright')
  const began = Date.now()
  const demo = startDemo(dir, server)
  const ended = firstLine(demo)
  try {
    const prometheus = await startPrometheus(folder, await orchestratorOf(dir, demo))
    try {
      const report = JSON.parse(await ended) as Report
      console.log(`the demo ended after ${Math.round((Date.now() - began) / 1000)} s`)
      const { faults, notes } = await judgeQueries(prometheus, began)
      for (const note of notes) console.log(note)
      const databaseUrl = await readFile(join(dir, 'state', 'database-url'), 'utf8')
      return [
        ...report.faults,
        ...faults,
        ...(await figureFaults(prometheus, report, began)),
        ...(await runbookFaults(folder, databaseUrl)),
      ]
    } finally {
      await prometheus.stop()
    }
  } finally {
    await end(demo, 'SIGINT')
    await ciScript('postgres.sh', ['stop', postgres])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** One Task ends by one merge, and its turns spent what the demo says. */
async function figureFaults(
  prometheus: Prometheus,
  { turns, pods }: Report,
  sinceMs: number,
): Promise<readonly string[]> {
  const expected = {
    'sum(operator_model_tokens_total)': turns.reduce((sum, { tokens }) => sum + tokens, 0),
    'sum(operator_changes_merged_total)': 1,
    'sum(operator_tasks_ended_total)': 1,
    'sum(operator_pod_stops_total)': pods.length,
  }
  const faults: string[] = []
  for (const [expr, value] of Object.entries(expected)) {
    const [sample] = await prometheus.overTime(expr, sinceMs)
    const found = Number(sample?.values.at(-1)?.[1])
    console.log(`${expr} is ${found}`)
    if (found !== value) faults.push(`${expr} is ${found}, not ${value}`)
  }
  return faults
}

function startDemo(dir: string, databaseUrl: string): ReturnType<typeof spawn> {
  const stub = join(root, 'standins', 'stub-cli', 'claude')
  return spawn(process.execPath, [join(root, 'bin', 'statewright.mjs'), 'demo', '--dir', dir, '--json', '--keep'], {
    env: { ...process.env, AGENT_CLI: JSON.stringify([stub]), DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The report, which the demo prints before it waits for Ctrl-C. */
async function firstLine(demo: ReturnType<typeof spawn>): Promise<string> {
  const lines = createInterface({ input: demo.stdout! })
  const line = once(lines, 'line').then(([text]) => String(text))
  const exit = once(demo, 'exit').then(([code]): string => {
    throw new Error(`the demo ended with ${String(code)} before its report`)
  })
  return Promise.race([line, exit])
}

async function orchestratorOf(dir: string, demo: ReturnType<typeof spawn>): Promise<string> {
  const file = join(dir, 'endpoints.json')
  for (const limit = Date.now() + startLimitMs; !existsSync(file);) {
    if (demo.exitCode !== null || Date.now() > limit) throw new Error('the demo did not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly orchestrator: string }).orchestrator
}

const faults = await main()
for (const fault of faults) console.error(`FAULT ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
