/** `npm run bench -- mcp`: from the start of a pod's tools to their list, against a server that does nothing. */
import { fileURLToPath } from 'node:url'
import type { BenchArguments } from '../kit/arguments.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { startOnce, type Start } from './start-time.ts'
import { openToolsSide } from './tools-side.ts'

interface Contender {
  readonly name: string
  readonly parameters: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** It must have listed as many, or something else was measured. */
  readonly tools: number
}

const bareName = 'bare SDK server, 1 tool'
const limitName = 'limit: JSON-RPC by hand, 1 tool'

/** `socket`: where the tools' server listens, as it does in a wrapper; the CLI starts a relay to it. */
function contendersOf(socket: string): readonly Contender[] {
  const own = (program: string): string => fileURLToPath(new URL(program, import.meta.url))
  const relay = own('../../wrapper/hooks/relay.mjs')
  return [
    { name: 'relay to the wrapper, 18 tools', parameters: [relay, socket], environment: {}, tools: 18 },
    { name: bareName, parameters: [own('./bare-sdk.ts')], environment: {}, tools: 1 },
    { name: limitName, parameters: [own('./no-sdk.ts')], environment: {}, tools: 1 },
  ]
}

interface Row {
  readonly name: string
  readonly tools: number
  readonly min: number
  readonly p50: number
  readonly p90: number
  readonly rssMb: number
}

function rowOf(contender: string, starts: readonly Start[]): Row {
  const times = starts.map(({ ms }) => ms)
  return {
    name: contender,
    tools: starts[0]?.tools ?? 0,
    min: Math.min(...times),
    p50: median(times) ?? Number.NaN,
    p90: percentile(times, 0.9) ?? Number.NaN,
    rssMb: median(starts.map(({ rssMb }) => rssMb)) ?? Number.NaN,
  }
}

/** Pairs of one round, so that what the machine does meanwhile meets both. */
function ratioTo(other: string, starts: ReadonlyMap<string, readonly Start[]>): number | undefined {
  const [own = [], theirs = []] = [[...starts.values()][0], starts.get(other)]
  return median(own.flatMap(({ ms }, round) => (theirs[round] === undefined ? [] : [ms / theirs[round].ms])))
}

function lower(goalName: string, value: number | undefined, gate: number, goal: number): Goal {
  return { name: goalName, value, unit: 'x', better: 'lower', gate, goal }
}

async function measure({ quick }: BenchArguments, journal: RunJournal): Promise<Measured> {
  const wrapper = await openToolsSide()
  const contenders = contendersOf(wrapper.socket)
  const starts = new Map<string, Start[]>(contenders.map((contender) => [contender.name, []]))
  try {
    // The first of each fills the machine's file cache.
    await interleave(1 + (quick ? 5 : 40), contenders, async (contender, round) => {
      const { parameters, environment, tools } = contender
      const start = await journal.attempt(contender.name, () => startOnce(parameters, environment))
      if (start === undefined || round === 0) return
      if (start.tools !== tools) throw new Error(`${contender.name} listed ${start.tools} tools, not ${tools}`)
      starts.get(contender.name)?.push(start)
    })
  } finally {
    await wrapper.close()
  }
  const rows = [...starts].map(([contender, made]) => rowOf(contender, made))
  const goals: readonly Goal[] = [
    lower('start against the bare SDK server, median of pairs', ratioTo(bareName, starts), 1, 0.7),
    lower('start against JSON-RPC by hand, median of pairs', ratioTo(limitName, starts), 0.75, 0.5),
  ]
  const tables = markdownTable(
    ['spawn to the list of tools', 'tools', 'min ms', 'p50 ms', 'p90 ms', 'RSS MB'],
    rows.map((row) => [row.name, ...[row.tools, row.min, row.p50, row.p90, row.rssMb].map(numberText)]),
  )
  return { rows, goals, tables, heading: "Start of a pod's tools" }
}

process.exitCode = await runBench({ name: 'mcp', parts: [], measure })
