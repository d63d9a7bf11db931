/** The dashboards by Grafana's own types: `npm run test:chart`. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ciScript } from '../../testing/ci-script.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { dashboardFiles } from './testing/queries.ts'

const call = promisify(execFile)

describeRequiring('chart', 'the dashboards of the chart', () => {
  let judge = ''

  beforeAll(async () => {
    judge = join(await ciScript('grafana.sh', ['build']), 'grafana')
  }, 600_000)

  /** What Grafana's types lack of these files; empty: nothing. */
  async function faultsOf(paths: readonly string[]): Promise<string> {
    const { stdout } = await call(judge, [...paths]).catch((error: { readonly stdout: string }) => error)
    return stdout
  }

  test('are what Grafana reads, field by field', async () => {
    expect(await faultsOf(dashboardFiles())).toBe('')
  })

  test.each([
    ['a kind of panel', '"type": "timeseries"', '"type": "timeserie"', 'the kind "timeserie" is none'],
    ['a field of a query', '"legendFormat"', '"legendFormt"', "unexpected field 'legendFormt'"],
    ['a field of a panel', '"gridPos"', '"gridpos"', "unexpected field 'gridpos'"],
    ['an option', '"showLegend"', '"showLegends"', "unexpected field 'showLegends'"],
    ['a setting of fields', '"unit"', '"unti"', "unexpected field 'unti'"],
    [
      'a kind of variable',
      '"type": "datasource"',
      '"type": "datasorce"',
      'there is no variable of the type "datasorce"',
    ],
    ['a data source', '"type": "prometheus"', '"type": "promethus"', 'asks "promethus"'],
    ['a number', '"schemaVersion": 39', '"schemaVersion": "39"', 'cannot unmarshal string'],
  ])('%s with a typo is refused', async (_what, right, wrong, complaint) => {
    const folder = await mkdtemp(join(tmpdir(), 'dashboards-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const text = await readFile(dashboardFiles()[0]!, 'utf8')
    expect(text).toContain(right)
    await writeFile(join(folder, 'broken.json'), text.replace(right, wrong))
    expect(await faultsOf([join(folder, 'broken.json')])).toContain(complaint)
  })
})
