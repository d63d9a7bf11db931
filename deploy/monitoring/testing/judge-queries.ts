/** What a Prometheus that scraped a demo answers to the queries of dashboards and alerts, and what of it is wrong. */
import { alertQueries, namedIn, panelQueries, type Query } from './queries.ts'
import type { Prometheus } from './prometheus.ts'

/** Series that a demo has not, and why. Every other one must be there. */
const absent: Readonly<Record<string, string>> = {
  operator_scm_ratelimited_total: 'no limit of the forge is reached',
  operator_tool_calls_refused_total: 'a model makes every call',
  platform_account_usage_snapshot_age_seconds: 'a key has no account whose usage a pod could report',
  statewright_dead_letters_total: 'every event changes something',
  statewright_effects_dead: 'no effect dies',
  statewright_quarantined_actors: 'every actor loads',
}

/** Panels that show a moment which no scrape need see. */
const brief: ReadonlySet<string> = new Set(['statewright-tasks, Tasks that rest, by reason'])

interface Judged {
  readonly faults: readonly string[]
  /** What had no data, and why. */
  readonly notes: readonly string[]
}

/** The last of what a demo counts, and so often it must have been scraped: an increase needs two. */
const lastCounted = 'operator_tasks_ended_total'
const scrapedLimitMs = 60_000

type Seen = ReadonlyMap<string, ReadonlySet<string>>

export async function judgeQueries(prometheus: Prometheus, sinceMs: number): Promise<Judged> {
  await untilScraped(prometheus, sinceMs)
  const queries = [...alertQueries(), ...panelQueries()]
  const names = [...new Set(queries.flatMap(({ expr }) => namedIn(expr).series))].toSorted()
  const seen = new Map<string, ReadonlySet<string>>()
  for (const name of names) {
    const sets = await prometheus.labelsOf(name)
    if (sets.length > 0) seen.set(name, new Set([...sets.flatMap((labels) => Object.keys(labels))]))
  }
  const panels = await Promise.all(panelQueries().map((query) => panelFaults(prometheus, query, seen, sinceMs)))
  return {
    faults: [
      ...seriesFaults(names, seen),
      ...queries.flatMap((query) => labelFaults(query, seen)),
      ...panels.flat(),
      ...(await ruleFaults(prometheus)),
    ],
    notes: [
      `${names.length - seen.size} of ${names.length} series had no data`,
      ...names.filter((name) => !seen.has(name)).map((name) => `  ${name}: ${absent[name] ?? 'should have some'}`),
    ],
  }
}

async function untilScraped(prometheus: Prometheus, sinceMs: number): Promise<void> {
  for (const limit = Date.now() + scrapedLimitMs; Date.now() < limit;) {
    const [sample] = await prometheus.overTime(lastCounted, sinceMs)
    if ((sample?.values.length ?? 0) > 1) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function seriesFaults(names: readonly string[], seen: Seen): readonly string[] {
  const left = Object.keys(absent).filter((name) => seen.has(name))
  const unused = Object.keys(absent).filter((name) => !names.includes(name))
  return [
    ...names.filter((name) => !seen.has(name) && !Object.hasOwn(absent, name)).map((name) => `${name} has no data`),
    ...left.map((name) => `${name} has data, though it is listed as absent`),
    ...unused.map((name) => `no query names ${name}, which is listed as absent`),
  ]
}

/** Of a query whose series are all there. */
function labelFaults({ where, expr }: Query, seen: Seen): readonly string[] {
  const { series, labels } = namedIn(expr)
  if (series.some((name) => !seen.has(name))) return []
  const known = new Set(series.flatMap((name) => [...seen.get(name)!]))
  return labels.filter((label) => !known.has(label)).map((label) => `${where}: no series has the label ${label}`)
}

async function panelFaults(
  prometheus: Prometheus,
  { where, expr }: Query,
  seen: Seen,
  sinceMs: number,
): Promise<readonly string[]> {
  try {
    const samples = await prometheus.overTime(expr, sinceMs)
    const mayBeEmpty = brief.has(where) || namedIn(expr).series.some((name) => !seen.has(name))
    return samples.length > 0 || mayBeEmpty ? [] : [`${where} shows nothing: ${expr}`]
  } catch (error) {
    return [`${where}: ${String(error)}: ${expr}`]
  }
}

/** A demo that ends well raises no alert, and Prometheus understands each. */
async function ruleFaults(prometheus: Prometheus): Promise<readonly string[]> {
  const rules = await prometheus.rules()
  const evaluated = new Set(rules.map(({ name }) => name))
  return [
    ...alertQueries()
      .filter(({ where }) => !evaluated.has(where))
      .map(({ where }) => `${where} is no rule of Prometheus`),
    ...rules
      .filter(({ health, state }) => health !== 'ok' || state !== 'inactive')
      .map(({ name, health, state, lastError = '' }) => `${name} is ${state}, ${health} ${lastError}`),
  ]
}
