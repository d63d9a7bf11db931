/** A long line of a pod, through the kubelet to test with and a real API server, as people see it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mergePatch, pathOf, type KubeResource } from '../../edges/kubernetes/api/api.ts'
import { managedBy, managedByLabel, podAnnotation } from '../../edges/kubernetes/pods/pod-names.ts'
import { podsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { withPodCluster } from '../../edges/kubernetes/testing/pod-cluster.ts'
import { startLogServer } from '../../standins/kubelet/log-server.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { withPodLogRoute } from '../testing/pod-log-server.ts'

const nodes: KubeResource = { apiVersion: 'v1', plural: 'nodes' }
const host = '127.0.0.1'

describeRequiring('kubernetes', 'logs of pods', () => {
  test('of a line of 250 KiB that is full of secrets none is shown, wherever the API server cuts its chunks (OPERATIONS-10)', () =>
    withPodCluster(async ({ client, namespace, make, pods }) => {
      const root = mkdtempSync(join(tmpdir(), 'pod-logs-'))
      const path = join(root, 'wrapper.log')
      const server = await startLogServer({ root, host, logOf: () => path, isLost: () => false })
      try {
        const many = 16_000
        writeFileSync(path, `first\n{"all":"${'the-model-key '.repeat(many)}","token":"hunter2"}\nlast\n`)
        const addresses = [{ type: 'InternalIP', address: host }]
        const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: server.port } } }
        const node = pathOf(nodes, { name: namespace, subresource: 'status' })
        await client.ask('PATCH', node, { body: { status }, type: mergePatch })
        const annotations = { [podAnnotation]: `${namespace}/talks/1` }
        const spec = { nodeName: namespace, containers: [{ name: 'wrapper', image: 'x' }] }
        await make(podsResource, {
          metadata: { name: 'talks-1', annotations, labels: { [managedByLabel]: managedBy } },
          spec: { ...spec, automountServiceAccountToken: false },
        })
        const logOf = pods.logOf.bind(pods)
        await withPodLogRoute({ [`${namespace}/talks`]: 1 }, logOf, async ({ get }) => {
          const { body } = await get(`task=${namespace}/talks`)
          expect(body).toMatchObject({
            lines: ['first', `{"all":"${'••• '.repeat(many)}","token":"•••"}`, 'last'],
            truncated: false,
          })
        })
      } finally {
        await server.stop()
        rmSync(root, { recursive: true })
      }
    }))
})
