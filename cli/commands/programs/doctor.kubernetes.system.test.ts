/** `statewright doctor --cluster` on a real API server, with a kubelet that runs its pods as processes of this machine. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pathOf, type KubeClient } from '../../../edges/kubernetes/api/api.ts'
import type { Fault } from '../../../standins/kubelet/fault.ts'
import { repository, withKubelet, type Scene } from '../../../standins/kubelet/testing/real-kubelet.ts'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import type { Check } from '../../doctor/check.ts'
import { doctor } from './doctor.ts'
import { rbac } from '../resources/rbac.ts'
import { said } from '../testing/fixture.ts'

const image = 'example.test/statewright:1'
const images = { [image]: [process.execPath, join(repository, 'bin', 'statewright.mjs')] }
const partLabel = 'platform.dev/doctor-part'
const classes = { apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' }

interface Ran {
  readonly code: number
  readonly checks: Readonly<Record<string, Check>>
}

async function run(scene: Pick<Scene, 'namespace'>, options: readonly string[] = []): Promise<Ran> {
  let code = -1
  const { out } = await said(async () => (code = await doctor([...argumentsFor(scene), '--json', ...options])))
  const { checks } = JSON.parse(out) as { readonly checks: readonly Check[] }
  return { code, checks: Object.fromEntries(checks.map((one) => [one.id, one])) }
}

function argumentsFor({ namespace }: Pick<Scene, 'namespace'>): readonly string[] {
  const { kubeconfig } = sharedControlPlane()
  const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--lease-namespace', namespace]
  return ['--cluster', '--image', image, ...where]
}

async function allow({ namespace }: Scene, ...more: readonly string[]): Promise<void> {
  const { out } = await said(() => rbac(['--namespaces', namespace, '--lease-namespace', namespace, ...more]))
  await sharedControlPlane().must(['apply', '-f', '-'], out)
}

/** Everything of the probe's kinds that is in the namespace, but what was there before. */
function left({ namespace }: Pick<Scene, 'namespace'>): Promise<string> {
  const kinds = 'jobs,pods,pvc,secrets,networkpolicies'
  return sharedControlPlane().must(['get', kinds, '-n', namespace, '-o', 'name'])
}

/** Binds at once, to a folder of this machine. */
async function withClass(client: KubeClient, name: string, use: () => Promise<void>): Promise<void> {
  const body = { apiVersion: classes.apiVersion, kind: 'StorageClass', metadata: { name } }
  await client.ask('POST', pathOf(classes), { body: { ...body, provisioner: 'kubernetes.io/host-path' } })
  try {
    await use()
  } finally {
    await client.ask('DELETE', pathOf(classes, { name }))
  }
}

describeRequiring('kubernetes', 'statewright doctor --cluster', () => {
  test('a cluster that grants all has one failure: nothing enforces its policies; and nothing is left', async () => {
    await withKubelet(
      async (scene) => {
        await allow(scene, '--memory-stacks')
        await withClass(scene.client, scene.namespace, async () => {
          const { code, checks } = await run(scene, ['--storage-class', scene.namespace])
          expect(checks['memory-stacks']?.seen).toMatch(/^on: [^;]*; CloudNativePG is (?:not )?installed/)
          expect(Object.fromEntries(Object.values(checks).map(({ id, status }) => [id, status]))).toEqual({
            ...{ definitions: 'ok', rights: 'ok', admission: 'ok', 'memory-stacks': 'ok', workspace: 'ok' },
            ...{ 'user-namespaces': 'ok', 'pod-namespaces': 'ok', 'network-policy': 'failed' },
          })
          expect(checks['workspace']?.seen).toMatch(/ is bound \(10Gi\); a pod with users of its own writes it/)
          expect(checks['network-policy']?.seen).toMatch(/^not enforced/)
          expect(code).toBe(1)
          expect(await left(scene)).toBe('')
        })
      },
      { images },
    )
  })

  test('what a node, a class and a role refuse is named, with the next step; and nothing is left', async () => {
    const message = 'runc create failed: unable to start container process: user namespaces are not enabled'
    const fault = (pod: { readonly metadata: { readonly labels?: object } }): Fault | undefined =>
      (pod.metadata.labels as Record<string, string>)[partLabel] === 'walls'
        ? { kind: 'start-error', message }
        : undefined
    await withKubelet(
      async (scene) => {
        await allow(scene)
        const role = `${scene.namespace}.statewright`
        const patch = JSON.stringify([{ op: 'remove', path: '/rules/0/verbs/3' }])
        await sharedControlPlane().must(['patch', 'role', role, '-n', scene.namespace, '--type=json', '-p', patch])
        const { code, checks } = await run(scene, ['--storage-class', 'no-such-class', '--timeout', '6'])
        expect(checks).toMatchObject({
          admission: { status: 'ok' },
          'memory-stacks': { status: 'ok', seen: expect.stringMatching(/^off: /) },
          rights: {
            status: 'failed',
            seen: expect.stringMatching(/lacks 1 of \d+ rights: patch projects\.platform\.dev in/),
          },
          'user-namespaces': {
            status: 'failed',
            seen: expect.stringContaining(message),
            next: expect.stringContaining('Linux 6.3'),
          },
          'pod-namespaces': { status: 'unproven' },
          workspace: { status: 'failed', seen: expect.stringMatching(/class no-such-class is Pending/) },
        })
        expect(code).toBe(1)
        expect(await left(scene)).toBe('')
      },
      { images, fault },
    )
  })

  test('admission that refuses the pod, and a missing right to make it, are told apart', async () => {
    const plane = sharedControlPlane()
    const namespace = await plane.ownNamespace()
    await plane.must(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted'])
    const missing = await run({ namespace }, ['--timeout', '1'])
    expect(missing.checks['admission']).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('cannot create resource "pods"'),
      next: expect.stringMatching(/^statewright rbac /),
    })
    await allow({ namespace } as Scene)
    const { checks } = await run({ namespace }, ['--timeout', '3'])
    for (const id of ['admission', 'user-namespaces'])
      expect(checks[id], id).toMatchObject({
        status: 'failed',
        seen: expect.stringContaining('violates PodSecurity "restricted:latest"'),
        next: expect.stringContaining('pod-security.kubernetes.io/enforce=baseline'),
      })
    expect(await left({ namespace })).toBe('')
  })

  test('Ctrl-C ends it early, and nothing is left', async () => {
    const namespace = await sharedControlPlane().ownNamespace()
    const program = join(repository, 'bin', 'statewright.mjs')
    const child = spawn(process.execPath, [program, 'doctor', ...argumentsFor({ namespace })], { stdio: 'pipe' })
    let [out, err] = ['', '']
    child.stdout.on('data', (text) => (out += String(text)))
    child.stderr.on('data', (text) => {
      if (!err.includes('workspace: Pending') && `${err}${text}`.includes('workspace: Pending')) child.kill('SIGINT')
      err += String(text)
    })
    await new Promise((resolve) => child.once('close', resolve))
    expect(err).toContain('removing the probe')
    expect(out).toMatch(/^unproven +user-namespaces +interrupted$/m)
    expect(await left({ namespace })).toBe('')
  })
})
