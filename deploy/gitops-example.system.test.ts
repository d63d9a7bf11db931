/** The values of the example by the chart (`npm run test:chart`). */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeRequiring } from '../testing/requires.ts'
import { named, render } from './testing/chart.ts'

const file = join(dirname(fileURLToPath(import.meta.url)), 'gitops-example/values.yaml')

describeRequiring('chart', 'the example of a deployment repository', () => {
  test('renders the images of its release, no Secret, and the same each time', async () => {
    const values = parse(readFileSync(file, 'utf8')) as object
    const [manifests, again] = await Promise.all([render(values), render(values)])
    expect(again).toEqual(manifests)
    const text = JSON.stringify(named(manifests, 'Deployment'))
    expect(text).toContain('"image":"ghcr.io/acme/statewright-orchestrator:v0.1.0"')
    expect(text).toContain('{"name":"AGENT_IMAGE","value":"ghcr.io/acme/statewright-wrapper:v0.1.0"}')
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
    expect(text).toContain('"secret":{"name":"statewright-callback","items"')
  })
})
