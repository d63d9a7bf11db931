/**
 * What the chart makes of kinds of the Gateway API and of the Prometheus operator, judged by a real API server with the
 * definitions that those publish: `npm run test:chart`.
 */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { ciScript } from '../testing/ci-script.ts'
import { sharedControlPlane, type ControlPlane } from '../testing/control-plane.ts'
import { describeRequiring } from '../testing/requires.ts'
import { rendered, type Manifest } from './testing/chart.ts'
import { full } from './testing/full-values.ts'

const foreign = /^(gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\//

const values = {
  ...full,
  monitoring: {
    serviceMonitor: true,
    rules: true,
    labels: { release: 'prom' },
    runbookUrl: 'https://runbooks.example/',
  },
  gateway: {
    enabled: true,
    host: 'x.example',
    parentRefs: [{ name: 'gateway', namespace: 'ingress', sectionName: 'web' }],
  },
}

describeRequiring('chart', 'the chart’s objects of other people’s kinds', () => {
  let plane: ControlPlane
  let objects: readonly Manifest[]
  const judge = (manifests: readonly object[]): ReturnType<ControlPlane['kubectl']> =>
    plane.kubectl(
      ['apply', '--namespace', 'default', '--dry-run=server', '--validate=strict', '-f', '-'],
      manifests.map((manifest) => stringify(manifest)).join('---\n'),
    )

  beforeAll(async () => {
    plane = sharedControlPlane()
    const file = join(await ciScript('crds.sh', ['build']), 'crds.yaml')
    // Their own annotation would be too long.
    const made = await plane.kubectl(['apply', '--server-side', '-f', file])
    expect(made.stderr).toBe('')
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', file])
    objects = (await rendered(values))
      .filter(({ apiVersion }) => foreign.test(apiVersion))
      .map(({ metadata: { namespace: _namespace, ...metadata }, ...rest }) => ({ ...rest, metadata }))
  }, 300_000)

  test('are what an API server takes, field by field', async () => {
    expect([...new Set(objects.map(({ kind }) => kind))].toSorted()).toEqual([
      'HTTPRoute',
      'PrometheusRule',
      'ServiceMonitor',
    ])
    const { code, stderr } = await judge(objects)
    expect([code, stderr]).toEqual([0, ''])
  })

  test.each([
    ['HTTPRoute', /"matches"/, '"matchs"', /unknown field "spec.rules\[0\].matchs"/],
    ['HTTPRoute', /"parentRefs"/, '"parents"', /unknown field "spec.parents"/],
    ['ServiceMonitor', /"endpoints"/, '"endpoint"', /unknown field "spec.endpoint"/],
    ['PrometheusRule', /"expr"/, '"expression"', /unknown field "spec.groups\[0\].rules\[0\].expression"/],
  ])('a %s with %s misspelt is refused', async (kind, right, wrong, sentence) => {
    const one = objects.find((object) => object.kind === kind)!
    const { code, stderr } = await judge([JSON.parse(JSON.stringify(one).replace(right, wrong)) as object])
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(sentence)])
  })
})
