/**
 * `npm run bench -- inspector`: a key in the search of the page in chromium, at 100,000 actors and at 1,000; and what 200 open
 * pages cost the process that runs the actors, with them and without in turn.
 */
import { chromium, type Page } from 'playwright-core'
import { goodToken, issueFacts, openFixture, withFixture, type Fixture } from '../../edges/inspector/testing/fixture.ts'
import { indexSearch } from '../../runtime/store/postgres/search-index.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { migrate, runtimeMigrations } from '../../runtime/store/migrate.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { BenchArguments } from '../kit/arguments.ts'
import { startServing } from '../kit/child.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { intervalOf } from '../kit/measure/interval.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median } from '../kit/measure/percentile.ts'
import { startPostgres } from '../kit/postgres-server.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { fill, livedBy } from './many.ts'

const sizes = [1000, 100_000] as const
const openPages = 200
const lives = [1, 2, 3, 4, 5, 6]

/** Of a list that is sorted by name, the first page fills; of a rare word, one row of all is left. */
const words = { common: 's3', rare: 'library-1-s1-c0002', none: 'nobodywritesthis' } as const
type Word = keyof typeof words

interface Cell {
  readonly actors: number
  readonly page: Page
  readonly url: string
  readonly word: Word
}

interface Keystroke {
  readonly actors: number
  readonly word: Word
  /** Until the list shows what was asked for. */
  readonly drawnMs: number
  /** Of the server alone: each kind of actor, asked for at once. */
  readonly answeredMs: number
}

/**
 * From the key until the list shows nothing but what matches, or all again; in the page, whose globals this program lacks.
 * It resolves to milliseconds.
 */
const untilDrawn = `async (word, others) => {
  const input = document.querySelector('input[name="q"]')
  const isDrawn = () => {
    const rows = [...document.querySelectorAll('.actors .actor')].map(({ textContent }) => textContent ?? '')
    if (word === '') return others.every((other) => rows.some((text) => !text.includes(other)))
    return rows.length === 0 ? document.querySelector('.actors .empty') !== null : rows.every((text) => text.includes(word))
  }
  const from = performance.now()
  input.value = word
  input.dispatchEvent(new Event('input', { bubbles: true }))
  while (!isDrawn()) {
    if (performance.now() - from > 30_000) throw new Error('“' + word + '” was not drawn within 30 s')
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return performance.now() - from
}`

function drawn(page: Page, word: string): Promise<number> {
  return page.evaluate(`(${untilDrawn})(${JSON.stringify(word)}, ${JSON.stringify(Object.values(words))})`)
}

async function pressKey({ actors, page, url, word }: Cell): Promise<Keystroke> {
  await drawn(page, '')
  const drawnMs = await drawn(page, words[word])
  const headers = { authorization: `Bearer ${goodToken}` }
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/inspector/api/${path}`, { headers })).json()
  const { kinds } = (await read('kinds')) as { readonly kinds: readonly string[] }
  const from = performance.now()
  await Promise.all(kinds.map((kind) => read(`actors?kind=${kind}&q=${words[word]}&limit=20`)))
  return { actors, word, drawnMs, answeredMs: performance.now() - from }
}

/** What the step of one event costs this process, in microseconds of its processors. Thirty actors step in turn. */
async function stepCost({ send }: Fixture, from: number, events: number): Promise<number> {
  const before = process.cpuUsage()
  for (let event = from; event < from + events; event++) {
    const number = 100 + (event % 30)
    const facts = { ...issueFacts(number), wanted: false, title: `Word ${event}` }
    await send(`issue:default/lib-${number}`, { type: 'issue.observed', facts })
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / events
}

interface Cost {
  readonly without: number
  readonly with: number
}

async function costOfPages(fixture: Fixture, rounds: number, events: number): Promise<readonly Cost[]> {
  let sent = 0
  const measured = (): Promise<number> => stepCost(fixture, (sent += events), events)
  const argument = { url: fixture.url, count: openPages, headers: { authorization: `Bearer ${goodToken}` } }
  const costs: Cost[] = []
  await measured()
  for (let round = 0; round < rounds; round++) {
    const cost = { without: 0, with: 0 }
    const measures = [
      async () => void (cost.without = await measured()),
      async () => {
        const lines = await startServing(new URL('lines.ts', import.meta.url), { argument, boundMs: 60_000 })
        cost.with = await measured()
        await lines.kill()
      },
    ]
    for (const measure of round % 2 === 0 ? measures : measures.toReversed()) await measure()
    costs.push(cost)
    console.error(
      `pages, round ${round + 1}: ${numberText(cost.without)} µs an event, ${numberText(cost.with)} with them`,
    )
  }
  return costs
}

async function keystrokesOf(
  fixtures: readonly (readonly [number, Fixture])[],
  rounds: number,
  say: (line: string) => void,
): Promise<readonly Keystroke[]> {
  const keystrokes: Keystroke[] = []
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const cells: Cell[] = []
    for (const [actors, { url, link }] of fixtures) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(link())
      await page.locator('.actors .actor').nth(50).waitFor()
      for (const word of Object.keys(words) as Word[]) cells.push({ actors, page, url, word })
    }
    await interleave(rounds + 1, cells, async (cell, round) => {
      const key = await pressKey(cell)
      // The first round warms caches up.
      if (round > 0) keystrokes.push(key)
      const { actors, word, drawnMs, answeredMs } = key
      say(
        `round ${round}, ${actors} actors, ${word}: drawn ${numberText(drawnMs)} ms, answered ${numberText(answeredMs)} ms`,
      )
    })
  } finally {
    await browser.close()
  }
  return keystrokes
}

function of(keystrokes: readonly Keystroke[], actors: number, word: Word, figure: 'drawnMs' | 'answeredMs'): number {
  const some = keystrokes.filter((one) => one.actors === actors && one.word === word).map((one) => one[figure])
  return median(some) ?? Number.NaN
}

/** Of pairs of the same round. */
function ratioOf(keystrokes: readonly Keystroke[], word: Word): Pick<Goal, 'value' | 'interval'> {
  const [few, many] = sizes.map((actors) => keystrokes.filter((one) => one.actors === actors && one.word === word))
  const ratios = (many ?? []).flatMap(({ drawnMs }, round) => {
    const other = few?.[round]
    return other === undefined ? [] : [drawnMs / other.drawnMs]
  })
  return { value: median(ratios), interval: intervalOf(ratios) }
}

async function measure(asked: BenchArguments, journal: RunJournal): Promise<Measured> {
  journal.say(`${lives.length} lives of the simulation …`)
  const lived = await livedBy(lives)
  const server = await startPostgres()
  let keystrokes: readonly Keystroke[] = []
  let costs: readonly Cost[] = []
  try {
    const open = async (actors: number): Promise<Sql> => {
      await server.create(`with${actors}`)
      const sql = await openPgSql({ url: server.url(`with${actors}`) })
      await migrate(sql, [runtimeMigrations])
      await indexSearch(sql)
      if (actors > 0) await fill(sql, lived, actors)
      return sql
    }
    const places: (readonly [number, Fixture])[] = []
    const ends: (() => Promise<void>)[] = []
    try {
      for (const actors of sizes) {
        const { fixture, end } = await openFixture(() => open(actors))
        places.push([actors, fixture])
        ends.push(end)
      }
      keystrokes = (await journal.attempt('keys', () => keystrokesOf(places, asked.quick ? 2 : 12, journal.say))) ?? []
    } finally {
      for (const end of ends) await end()
    }
    const [rounds, events] = asked.quick ? [2, 200] : [24, 3000]
    const measurePages = async (fixture: Fixture): Promise<void> => {
      costs = (await journal.attempt('pages', () => costOfPages(fixture, rounds, events))) ?? []
    }
    await withFixture(measurePages, () => open(0))
  } finally {
    await server.stop()
  }
  const names = Object.keys(words) as Word[]
  const rows = names.flatMap((word) =>
    sizes.map((actors) => ({
      actors,
      word,
      drawnMs: of(keystrokes, actors, word, 'drawnMs'),
      answeredMs: of(keystrokes, actors, word, 'answeredMs'),
    })),
  )
  const shares = costs.map((cost) => cost.with / cost.without - 1)
  const lower = { better: 'lower' } as const
  const goals: readonly Goal[] = [
    ...names.map((word) => ({
      ...{ ...lower, name: `a key, ${word} word: 100,000 actors to 1,000`, unit: 'x', gate: 1.5, goal: 1.2 },
      ...ratioOf(keystrokes, word),
    })),
    {
      ...{ ...lower, name: `CPU of an event, ${openPages} open pages to none`, unit: 'x', gate: 1.05, goal: 1.02 },
      value: median(shares.map((share) => 1 + share)),
      interval: intervalOf(shares.map((share) => 1 + share)),
    },
  ]
  const tables = markdownTable(
    ['actors', 'word', 'key to list, ms', 'answers of the server, ms'],
    rows.map((row) => [numberText(row.actors), row.word, numberText(row.drawnMs), numberText(row.answeredMs)]),
  )
  const about = 'A key rests for 150 ms before the page asks. PostgreSQL, chromium and the server share the machine.'
  return { postgres: server.version, rows, goals, tables, heading: 'Inspector', about }
}

process.exitCode = await runBench({ name: 'inspector', parts: [], measure })
