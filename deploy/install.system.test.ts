/**
 * `helm install --wait` of the built release: a real API server, PostgreSQL and Helm; the stand-in kubelet runs the programs of
 * the images' trees (`npm run test:chart`).
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createKubeClient } from '../edges/kubernetes/api/client.ts'
import { captureLog } from '../http/testing/fixture.ts'
import { systemClock } from '../runtime/clock.ts'
import { startIdentity } from '../standins/identity/identity.ts'
import { startKubelet } from '../standins/kubelet/kubelet.ts'
import { startControlPlane, type ControlPlane } from '../testing/control-plane.ts'
import { describeRequiring } from '../testing/requires.ts'
import { chart, helm, mustHelm, needed } from './testing/chart.ts'
import { imageTrees } from './testing/trees.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { readonly version: string }
const namespace = 'platform'
const at = ['--namespace', namespace]
const waiting = ['--wait', '--timeout', '120s']
const limitMs = 400_000

describeRequiring('chart', 'the release that the chart installs', () => {
  test(
    'serves, holds its Lease, gives way to one successor, and leaves no finalizer',
    { timeout: limitMs },
    async () => {
      const { plane, values, kubectl } = await cluster()
      await mustHelm(['install', 'sw', chart, ...at, ...waiting], values, plane.kubeconfig)
      const [first] = await pods(plane, 'orchestrator')
      expect(first).toMatchObject({ ready: true })
      for (const path of ['/healthz', '/readyz', '/metrics'])
        expect([path, (await fetch(`http://${first!.ip}:8082${path}`)).status]).toEqual([path, 200])
      const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/statewright-orchestrator`
      const holder = async (): Promise<string> =>
        ((await plane.ask('GET', lease)).body['spec'] as { holderIdentity?: string }).holderIdentity ?? ''
      const before = await holder()
      expect(before).not.toBe('')

      await kubectl('apply', '-f', '-', JSON.stringify(project))
      await kubectl(
        'wait',
        '--for=jsonpath={.metadata.finalizers[0]}=platform.dev/close',
        'project/demo',
        '--timeout=60s',
      )

      await mustHelm(['upgrade', 'sw', chart, ...at, ...waiting], { ...values, ...withMemory }, plane.kubeconfig)
      const [second, ...others] = await pods(plane, 'orchestrator')
      expect([second!.name === first!.name, others]).toEqual([false, []])
      await expect.poll(holder, { timeout: 60_000, interval: 500 }).not.toBe(before)
      const [memory] = await pods(plane, 'memory')
      expect(memory).toMatchObject({ ready: true })
      for (const [path, status] of [
        ['/metrics', 200],
        ['/api/v1/memory/demo/memories/x', 401],
        ['/api/v1/memory/demo/metrics', 404],
      ] as const)
        expect([path, (await fetch(`http://${memory!.ip}:8080${path}`)).status]).toEqual([path, status])

      const { code, out, error } = await helm(['uninstall', 'sw', ...at, ...waiting], undefined, plane.kubeconfig)
      expect([code, error]).toEqual([0, ''])
      expect(out).toMatch(/kept due to the resource policy[^]*sw-keys[^]*statewright-callback/)
      expect(await kubectl('get', 'project', 'demo', '-o', 'jsonpath={.metadata.finalizers}')).toBe('')
      expect(await kubectl('get', 'pods,jobs,deployments,services', '-o', 'name')).toBe('')
    },
  )
})

const withMemory = {
  timeZone: 'Asia/Tokyo',
  memory: { audience: 'memory', clientId: 'pods', secretName: 'memory' },
  memoryServices: { demo: { project: `${namespace}/demo`, database: { secretName: 'database', secretKey: 'memory' } } },
}

const project = {
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Project',
  metadata: { name: 'demo' },
  spec: {
    scmSecretRef: 'demo-scm',
    scm: {
      provider: 'forge_a',
      owner: 'acme',
      botLogin: 'statewright-bot',
      maintainerLogins: ['maria'],
      apiURL: 'https://forge.invalid/api/v3',
      webURL: 'https://forge.invalid',
    },
  },
}

interface Installed {
  readonly plane: ControlPlane
  readonly values: object
  kubectl(...parameters: string[]): Promise<string>
}

async function cluster(): Promise<Installed> {
  // Not below /tmp, which the chart's own volume covers in the pod; PostgreSQL's user must pass through it.
  const dir = mkdtempSync('/var/tmp/install-')
  chmodSync(dir, 0o755)
  const close = (end: () => unknown): void => onTestFinished(async () => void (await end()))
  close(() => rmSync(dir, { recursive: true, force: true }))
  const trees = imageTrees()
  const run = (program: string): readonly string[] => [
    ...['env', `NODE_OPTIONS=--import=${join(root, 'standins/kubelet/own-address.mjs')}`, process.execPath],
    join(trees, program, 'app/bin/statewright.mjs'),
  ]
  const postgres = (verb: string): string =>
    execFileSync('bash', [join(root, '.ci/postgres.sh'), verb, join(dir, 'pg')], { encoding: 'utf8' })
  close(() => postgres('stop'))
  const databaseUrl = postgres('start').trim().split('\n').at(-1)!
  execFileSync(join(postgres('find').trim(), 'psql'), [databaseUrl, '--quiet', '--command', 'create database memory'])
  const clients = [{ clientId: 'statewright', secret: 's', audiences: ['wrappers'] }]
  const identity = await startIdentity({ clients })
  close(() => identity.close())
  const plane = await startControlPlane({ controllers: true })
  close(() => plane.stop())
  const client = createKubeClient({ kubeconfig: plane.kubeconfig })
  close(() => client.close())
  const [, apiServer = ''] = /server: "?(https:[^",}\s]+)/.exec(readFileSync(plane.kubeconfig, 'utf8')) ?? []
  const kubelet = await startKubelet({
    client,
    apiServer,
    root: join(dir, 'kubelet'),
    node: 'node',
    namespaces: [namespace],
    images: Object.fromEntries(
      ['orchestrator', 'memory'].map((program) => [`statewright-${program}:v${version}`, run(program)]),
    ),
    programs: [root, trees],
    clock: systemClock,
    random: Math.random,
    logger: captureLog().logger,
  })
  close(() => kubelet.stop())
  await plane.must(['create', 'namespace', namespace])
  const secrets = [
    `database --from-literal=url=${databaseUrl} --from-literal=memory=${databaseUrl.replace(/[^/]*$/, 'memory')}`,
    'oidc --from-literal=client-secret=s',
    'model --from-literal=api-key=x',
    'memory --from-literal=client-secret=s',
  ]
  for (const secret of secrets) await plane.must(['-n', namespace, 'create', 'secret', 'generic', ...secret.split(' ')])
  return {
    plane,
    values: { ...needed, oidc: { ...needed.oidc, issuer: identity.issuer } },
    kubectl: (...parameters) => {
      const input = parameters.at(-1)!.startsWith('{') ? parameters.pop() : undefined
      return plane.must(['-n', namespace, ...parameters], input)
    },
  }
}

interface Seen {
  readonly name: string
  readonly ip: string
  readonly ready: boolean
}

interface PodObject {
  readonly metadata: { readonly name: string }
  readonly status: {
    readonly podIP: string
    readonly containerStatuses: readonly { readonly ready: boolean }[]
  }
}

async function pods(plane: ControlPlane, component: string): Promise<readonly Seen[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`)
  const { body } = await plane.ask('GET', `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`)
  return (body['items'] as readonly PodObject[]).map(
    ({ metadata: { name }, status: { podIP, containerStatuses } }) => ({
      name,
      ip: podIP,
      ready: containerStatuses[0]!.ready,
    }),
  )
}
