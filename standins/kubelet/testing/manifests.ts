/** The pods of the tests on a real API server. */
import { homedir } from 'node:os'

export const image = 'example.test/program:1'

export const podIP = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }
export const address = { name: 'HTTP_ADDR', value: '$(POD_IP):8080' }
const readiness = { httpGet: { path: '/readyz', port: 8080 } }

export function podOf(name: string, container: object = {}, spec: object = {}): object {
  const main = { name: 'main', image, env: [podIP, address], readinessProbe: readiness, ...container }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 10,
      automountServiceAccountToken: false,
      containers: [main],
      ...spec,
    },
  }
}

export function wrapperPod(): object {
  const run = { name: 'run', mountPath: '/platform/run' }
  const env = Object.entries({
    HTTP_ADDR: '$(POD_IP):8080',
    INTERNAL_ADDR: '127.0.0.1:0',
    HOME: '/platform/state/home',
    STATE_DIR: '/platform/state',
    WORKSPACE_DIR: '/workspace',
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_AUDIENCE: 'urn:wrapper',
    PLATFORM_TASK: 'default/real',
    PLATFORM_PROJECT: 'default/demo',
    PLATFORM_POD: '1',
    PLATFORM_CONTRACT_VERSION: '3',
    MODEL_PROVIDER_API_KEY_FILE: '/platform/run/model-key',
    PLATFORM_POD_TOKEN_FILE: '/platform/run/pod-token',
  }).map(([name, value]) => ({ name, value }))
  const take = {
    name: 'take-secrets',
    image: 'example.test/wrapper:1',
    command: ['sh', '-c', 'cd /platform/secret && install -m 0600 -t /platform/run *'],
    volumeMounts: [{ name: 'secret', mountPath: '/platform/secret' }, run],
  }
  const volumes = [
    { name: 'secret', secret: { secretName: 'wrapper' } },
    { name: 'run', emptyDir: { medium: 'Memory' } },
    { name: 'state', emptyDir: {} },
  ]
  const volumeMounts = [
    run,
    { name: 'state', mountPath: '/platform/state', subPath: 'state' },
    { name: 'state', mountPath: '/workspace', subPath: 'workspace' },
  ]
  const container = { name: 'wrapper', image: 'example.test/wrapper:1', env: [podIP, ...env], volumeMounts }
  return podOf('wrapper', container, { volumes, initContainers: [take] })
}

export function volumeOf(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${namespace}` },
    spec: {
      capacity: { storage: '10Mi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      hostPath: { path: `/nowhere/${namespace}` },
      claimRef: { namespace, name: 'work' },
    },
  }
}

export function wholePod(root: string): object {
  const env = [
    podIP,
    address,
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'other' } } },
    { name: 'NAMED', value: 'of $(KEY) and $(NOBODY) and $$(KEY)' },
    { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    {
      name: 'READ',
      value: `/platform/run/model-key,${['namespace', 'mode', 'app', 'token'].map((name) => `/platform/projected/${name}`).join(',')},/etc/wrapper/app`,
    },
    { name: 'WRITE', value: '/platform/state/a,/workspace/b,/platform/secret/c,/usr/d,/tmp/e' },
    { name: 'LOOK', value: `${homedir()},${root},/usr/bin/env` },
  ]
  const field = (path: string, fieldPath: string): object => ({ path, fieldRef: { fieldPath } })
  const sources = [
    { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
    { configMap: { name: 'settings' } },
    { downwardAPI: { items: [field('namespace', 'metadata.namespace'), field('app', "metadata.labels['app']")] } },
  ]
  const volumes = [
    { name: 'secret', secret: { secretName: 'keys', items: [{ key: 'model-key', path: 'model-key' }] } },
    { name: 'run', emptyDir: { medium: 'Memory' } },
    { name: 'state', emptyDir: {} },
    { name: 'work', persistentVolumeClaim: { claimName: 'work' } },
    { name: 'projected', projected: { sources } },
  ]
  const take = {
    name: 'take-secrets',
    image,
    command: ['sh', '-c', 'cd /platform/secret && install -m 0600 -t /platform/run *'],
    volumeMounts: [
      { name: 'secret', mountPath: '/platform/secret' },
      { name: 'run', mountPath: '/platform/run' },
    ],
  }
  const volumeMounts = [
    ...take.volumeMounts,
    { name: 'state', mountPath: '/platform/state' },
    { name: 'work', mountPath: '/workspace', subPath: 'deep/workspace' },
    { name: 'projected', mountPath: '/platform/projected' },
    { name: 'projected', mountPath: '/etc/wrapper' },
  ]
  const container = {
    env,
    volumeMounts,
    args: ['$(KEY)', '$(nobody)'],
    envFrom: [{ prefix: 'SET_', configMapRef: { name: 'settings' } }],
  }
  return podOf('whole', container, { volumes, initContainers: [take] })
}
