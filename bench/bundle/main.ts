/** `npm run bench -- bundle`: how long the render of an agent's first turn takes, beside what its bytes alone cost. */
import { escapeText } from '../../edges/agents/bundle/escape.ts'
import type { BundleComment, BundleInput, BundleThread } from '../../edges/agents/bundle/input.ts'
import { renderBundle } from '../../edges/agents/bundle/render.ts'
import type { BenchArguments } from '../kit/arguments.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'

const maxBytes = 400_000
const warmUps = 5

const words =
  'the parser <accepts> "any" text & skips what it does not know, which hides mistakes of callers for years'.split(' ')

/** A linear congruential generator: the same threads in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

function aBundle(commentCounts: readonly number[]): BundleInput {
  const random = seeded(7)
  const comment = (n: number): BundleComment => ({
    externalId: String(n),
    author: `user${n % 50}`,
    bot: false,
    at: Date.UTC(2026, 0, 1) + n * 60_000,
    body: Array.from({ length: 20 + random(60) }, () => words[random(words.length)]).join(' '),
  })
  const thread = (count: number, index: number): BundleThread => ({
    repository: 'lib',
    number: index + 1,
    state: 'open',
    status: 'refined',
    url: `http://forge/acme/lib/issues/${index + 1}`,
    title: 'Fails on <empty> input',
    author: 'rita',
    body: 'It throws & dies. '.repeat(50),
    comments: Array.from({ length: count }, (_, n) => comment(n)),
  })
  const base = { task: 'implement-lib-1-abcde', kind: 'implement', stage: 'implementing', agent: 'implement' }
  return {
    ...base,
    project: 'demo',
    issues: commentCounts.map(thread),
    mergeRequests: [],
    events: [],
    notes: [],
    notesTotal: 0,
    earlier: [],
  }
}

interface Case {
  readonly name: string
  run(): number
}

function cases(): readonly Case[] {
  const render = (input: BundleInput): number => renderBundle(input, { maxBytes, eventsInside: true }).text.length
  const many = aBundle([12_000, 5_000, 3_000])
  const spread = aBundle(Array.from({ length: 100 }, () => 200))
  const few = aBundle([800, 100])
  const { text } = renderBundle(many, { maxBytes, eventsInside: true })
  return [
    { name: 'render, 20,000 comments in 3 threads', run: () => render(many) },
    { name: 'render, 20,000 comments in 100 threads', run: () => render(spread) },
    { name: 'render, 900 comments in 2 threads', run: () => render(few) },
    { name: 'limit: to escape as many bytes once', run: () => escapeText(text).length },
  ]
}

interface Row {
  readonly name: string
  readonly p50: number
  readonly p90: number
  /** Against the limit in the same round, median of the rounds. */
  readonly toLimit: number
}

async function measureCases(rounds: number): Promise<readonly Row[]> {
  const cells = cases().map((each) => ({ ...each, times: [] as number[] }))
  await interleave(warmUps + rounds, cells, async (cell, round) => {
    const started = performance.now()
    cell.run()
    const tookMs = performance.now() - started
    if (round >= warmUps) cell.times.push(tookMs)
  })
  const limit = cells.at(-1)!.times
  return cells.map(({ name: cell, times }) => ({
    name: cell,
    p50: median(times) ?? Number.NaN,
    p90: percentile(times, 0.9) ?? Number.NaN,
    toLimit: median(times.map((time, round) => time / limit[round]!)) ?? Number.NaN,
  }))
}

async function measure({ quick }: BenchArguments): Promise<Measured> {
  const rows = await measureCases(quick ? 20 : 300)
  const goals: readonly Goal[] = [
    {
      name: 'render of 400 kB with 20,000 comments, against escaping as many bytes',
      value: rows[0]?.toLimit,
      unit: 'x',
      better: 'lower',
      gate: 6,
      goal: 3,
    },
  ]
  const tables = markdownTable(
    ['400,000 bytes', 'p50 ms', 'p90 ms', 'times the limit'],
    rows.map((row) => [row.name, ...[row.p50, row.p90, row.toLimit].map(numberText)]),
  )
  return { rows, goals, tables, heading: 'Bundle' }
}

process.exitCode = await runBench({ name: 'bundle', parts: [], measure })
