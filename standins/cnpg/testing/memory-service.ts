/** A memory service as a Deployment: its database is where `uri`, a key of a Secret, leads. */
import type { KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { memoryImage, type Stack } from './real-stack.ts'

const deployments = { apiVersion: 'apps/v1', plural: 'deployments' }

/** Resolves once `/readyz` has answered its probe. `query`: of the address, after `?`; `ca`: a Secret with `ca.crt`. */
export async function startMemory(
  { make, untilIs }: Stack,
  { secret, query = '', ca }: { readonly secret: string; readonly query?: string; readonly ca?: string },
): Promise<KubeObject | undefined> {
  const name = 'memory'
  const labels = { app: name }
  const volumeMounts = [{ name: 'state', mountPath: '/state' }]
  const container = {
    name,
    image: memoryImage,
    args: ['memory'],
    env: [
      { name: 'URI', valueFrom: { secretKeyRef: { name: secret, key: 'uri' } } },
      { name: 'DATABASE_URL', value: `$(URI)${query}` },
      { name: 'HTTP_ADDR', value: '0.0.0.0:8080' },
      { name: 'STATE_DIR', value: '/state' },
      { name: 'OIDC_ISSUER', value: 'http://127.0.0.1:1' },
      { name: 'OIDC_AUDIENCE', value: 'urn:memory' },
    ],
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, timeoutSeconds: 5 },
    volumeMounts: [...volumeMounts, ...(ca === undefined ? [] : [{ name: 'ca', mountPath: '/ca' }])],
  }
  const secretVolume = (secretName: string): object => ({ secretName, items: [{ key: 'ca.crt', path: 'ca.crt' }] })
  const spec = {
    automountServiceAccountToken: false,
    containers: [container],
    volumes: [{ name: 'state', emptyDir: {} }, ...(ca === undefined ? [] : [{ name: 'ca', secret: secretVolume(ca) }])],
  }
  const template = { metadata: { labels }, spec }
  await make(deployments, { metadata: { name }, spec: { selector: { matchLabels: labels }, template } })
  return untilIs(deployments, name, (object) => object?.status?.['readyReplicas'] === 1)
}
