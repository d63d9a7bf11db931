/** Alerts and dashboards name series that docs/metrics.md has, and each alert has a runbook and its two cases. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { alertQueries, alerts, namedIn, panelQueries, readDashboards } from './testing/queries.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

interface Cases {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
  }[]
}

type Series = readonly [name: string, labels: readonly string[]]

/** Each name that Prometheus stores, with the labels of its row. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)]
  const all = rows.flatMap(([, name, type, labels]): readonly Series[] => {
    const known = [...labels!.matchAll(/`(\w+)`/g)].map((match) => match[1]!)
    if (type !== 'histogram') return [[name!, known] as const]
    return [`${name}_count`, `${name}_sum`, `${name}_bucket`].map((one) => [one, [...known, 'le']] as const)
  })
  const http = ['count', 'sum', 'bucket'].map((end) => `http_request_duration_seconds_${end}`)
  return new Map<string, readonly string[]>([
    ...all,
    ['loop_stopped', ['loop', 'service']],
    ...http.map((name): Series => [name, ['method', 'route', 'status', 'le']]),
  ])
}

test('every series and label of an alert or a dashboard is in docs/metrics.md', () => {
  const known = documented()
  const faults = [...alertQueries(), ...panelQueries()].flatMap(({ where, expr }) => {
    const { series, labels } = namedIn(expr)
    const allowed = new Set(series.flatMap((name) => known.get(name) ?? []))
    return [
      ...(series.length === 0 ? [`${where} has no series`] : []),
      ...series.filter((name) => !known.has(name)).map((name) => `${where}: ${name}`),
      ...labels.filter((label) => !allowed.has(label)).map((label) => `${where}: ${label}`),
    ]
  })
  expect(faults).toEqual([])
})

test('every alert has a runbook of its name, and every runbook an alert', () => {
  const pages = alerts().map(({ annotations }) => annotations.runbook_url)
  expect(pages.filter((page) => !existsSync(`${root}${page}`))).toEqual([])
  expect(
    alerts().filter(({ alert, annotations }) => !read(annotations.runbook_url).startsWith(`# ${alert}\n`)),
  ).toEqual([])
  expect(globSync('docs/runbooks/statewright-*.md', { cwd: root }).toSorted()).toEqual(pages.toSorted())
})

test('every alert has a case in which it fires and one in which it does not', () => {
  const { tests } = parse(read('deploy/monitoring/alerts.promtool.yaml')) as Cases
  const cases = tests.flatMap((one) => one.alert_rule_test)
  const lacking = alerts().filter(({ alert }) => {
    const own = cases.filter(({ alertname }) => alertname === alert)
    return !own.some((one) => one.exp_alerts.length > 0) || !own.some((one) => one.exp_alerts.length === 0)
  })
  expect(lacking).toEqual([])
})

test('every dashboard has an id of its own, a data source to choose and panels that lie beside each other', () => {
  const boards = readDashboards()
  expect(boards.length).toBeGreaterThan(1)
  expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length)
  for (const { panels, templating } of boards) {
    expect(templating.list.map(({ name }) => name)).toContain('datasource')
    expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([])
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(panels.length)
  }
})
