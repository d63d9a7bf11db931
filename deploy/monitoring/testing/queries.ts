/** The queries of alerts and dashboards, and which series and labels each names. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const alertsFile = `${root}deploy/chart/files/monitoring/alerts.yaml`
const dashboards = 'deploy/chart/files/monitoring/dashboards/*.json'

export interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly runbook_url: string }
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly {
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number }
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

export interface Query {
  /** The alert, or the dashboard and its panel. */
  readonly where: string
  readonly expr: string
}

export function alerts(): readonly Alert[] {
  const { groups } = parse(readFileSync(alertsFile, 'utf8')) as { groups: readonly { rules: readonly Alert[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

/** Paths of the dashboards. */
export function dashboardFiles(): readonly string[] {
  return globSync(dashboards, { cwd: root })
    .toSorted()
    .map((path) => `${root}${path}`)
}

export function readDashboards(): readonly Dashboard[] {
  return dashboardFiles().map((path) => JSON.parse(readFileSync(path, 'utf8')) as Dashboard)
}

export function alertQueries(): readonly Query[] {
  return alerts().map(({ alert, expr }) => ({ where: alert, expr }))
}

export function panelQueries(): readonly Query[] {
  return readDashboards().flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `${uid}, ${title}`, expr }))),
  )
}

/** Our own series and all labels that the expression names. */
export function namedIn(expr: string): { readonly series: readonly string[]; readonly labels: readonly string[] } {
  const bare = expr.replaceAll(/"[^"]*"/g, '""')
  const series = [...bare.matchAll(/[a-z]+(?:_[a-z]+)+/g)]
    .map(([name]) => name)
    .filter((name) => /^(statewright|operator|platform|http|loop|ccw)_/.test(name))
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner]) =>
    [...inner!.matchAll(/(\w+)\s*[=!]/g)].map((match) => match[1]!),
  )
  const groups = [...bare.matchAll(/\b(?:by|on|without|ignoring|group_left|group_right) \(([^)]*)\)/g)].flatMap(
    ([, inner]) =>
      inner!
        .split(',')
        .map((label) => label.trim())
        .filter((label) => label !== ''),
  )
  return { series: [...new Set(series)], labels: [...new Set([...matchers, ...groups])] }
}
