// Records the lives of lives.ts on hollow nodes: node standins/kubelet/testing/record.ts KUBECONFIG; judge.sh starts those.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { lives, recordLife } from './lives.ts'

const nodes: Readonly<Record<string, string>> = { 'no-image': 'hollow-pull', 'failed-start': 'hollow-start' }

const client = createKubeClient({ kubeconfig: process.argv[2] })
for (const [life, wanted] of Object.entries(lives)) {
  const nodeName = nodes[life] ?? 'hollow-plain'
  const statuses = await recordLife(client, { namespace: 'default', name: `life-${life}`, nodeName }, wanted)
  const by = 'kubelet of k8s.io/kubernetes v1.36.3, a hollow node of cmd/kubemark (judge.sh, record.ts)'
  writeFileSync(join(import.meta.dirname, `${life}.json`), `${JSON.stringify({ by, life, statuses }, null, 1)}\n`)
  console.log(life, statuses.length, statuses.map(({ phase }) => phase).join(' '))
}
await client.close()
