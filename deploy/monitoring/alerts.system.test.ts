/** The alerts by promtool, and what of the monitoring Helm renders: `npm run test:chart`. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ciScript } from '../../testing/ci-script.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { chart, named, needed, rendered } from '../testing/chart.ts'

const call = promisify(execFile)
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

describeRequiring('chart', 'the monitoring of the chart', () => {
  test('has alerts that each fire and are silent as promtool sees it', { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alerts-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await copyFile(join(chart, 'files/monitoring/alerts.yaml'), join(folder, 'alerts.yaml'))
    await copyFile(here('alerts.promtool.yaml'), join(folder, 'tests.yaml'))
    const promtool = join(await ciScript('prometheus.sh', ['build']), 'promtool')
    const { stdout } = await call(promtool, ['test', 'rules', join(folder, 'tests.yaml')]).catch((error) => error)
    expect(stdout).toMatch(/SUCCESS/)
  })

  test('is off by default', async () => {
    const kinds = (await rendered(needed)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => /ServiceMonitor|PrometheusRule/.test(kind))).toEqual([])
  })

  test('brings each dashboard whole, in a ConfigMap that Grafana looks for', async () => {
    const folder = join(chart, 'files/monitoring/dashboards')
    const maps = (await rendered({ ...needed, monitoring: { dashboards: true } })).filter(
      ({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1',
    )
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    const found = maps.flatMap(({ data = {} }) => Object.values(data))
    expect(found.map((text) => JSON.parse(text) as unknown)).toEqual(texts.map((text) => JSON.parse(text) as unknown))
  })

  test('finds the Service of metrics, and links runbooks where the values say', async () => {
    const monitoring = {
      serviceMonitor: true,
      rules: true,
      labels: { release: 'prom' },
      runbookUrl: 'https://x.example/r/',
    }
    const manifests = await rendered({ ...needed, monitoring })
    const { spec, metadata } = named(manifests, 'ServiceMonitor')
    const { selector, endpoints } = spec as {
      selector: { matchLabels: Readonly<Record<string, string>> }
      endpoints: readonly { port: string }[]
    }
    expect(metadata.labels).toMatchObject({ release: 'prom' })
    const found = manifests.filter(
      ({ kind, metadata: { labels = {} } }) =>
        kind === 'Service' && Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value),
    )
    expect(found.map((one) => one.metadata.name)).toEqual(['sw-internal'])
    expect(endpoints.map(({ port }) => port)).toEqual(['internal'])
    const rules = JSON.stringify(named(manifests, 'PrometheusRule').spec)
    expect(rules).toContain('https://x.example/r/statewright-down.md')
    expect(rules).not.toContain('docs/runbooks')
  })
})
