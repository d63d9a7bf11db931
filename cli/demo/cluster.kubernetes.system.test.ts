/**
 * The whole demo with its agents in pods of a real API server, as a person starts it: in a Kubernetes of its own, and in a
 * cluster that was there before, which `npm run test:kubernetes -- --given` asks for. A control plane and a kubelet of the test
 * are that cluster. All that is in it besides is the same afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { podsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startKubelet, type Kubelet } from '../../standins/kubelet/kubelet.ts'
import { startControlPlane, type ControlPlane, type Ran } from '../../testing/control-plane.ts'
import { drawnOf } from '../../testing/drawn.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { wrapperOfSources } from '../local/cluster/demo-kubelet.ts'
import { freePort } from '../local/processes/ports.ts'
import { defaultScenarioFile } from '../local/standins.ts'
import { programDir } from '../program.ts'
import type { Report } from './report.ts'

/** Ten times what it takes alone. */
const timeout = 800_000
const image = 'registry.example/wrapper:v1'
/** Of the given cluster; the demo is given its name. */
const storageClass = 'shared-files'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'demo-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** `interruptAt`: what it shows right before Ctrl-C. */
async function demo(
  name: string,
  more: readonly string[] = [],
  interruptAt?: string,
): Promise<Ran & { report: Report }> {
  const program = join(programDir, 'bin', 'statewright.mjs')
  const parameters = ['demo', '--kubernetes', '--json', '--dir', join(dir, name), ...more]
  const options = { cwd: dir, timeout, maxBuffer: 64 * 1024 * 1024 }
  const running = promisify(execFile)(process.execPath, [program, ...parameters], options)
  let shown = ''
  running.child.stderr?.on('data', (text: string) => {
    const wasThere = interruptAt === undefined || shown.includes(interruptAt)
    shown += text
    if (!wasThere && shown.includes(interruptAt)) running.child.kill('SIGINT')
  })
  const ran = await running.then((output) => ({ ...output, code: 0 })).catch((error: Ran) => error)
  const report = JSON.parse(ran.stdout.trim().split('\n').at(-1) || '{}') as Report
  return { code: ran.code, stdout: ran.stdout, stderr: ran.stderr, report }
}

/** It is delivered, and the API server showed that and nothing of it is left there. */
function expectDelivered({
  code,
  stderr,
  report: { ok, faults, task, kubernetes },
}: Awaited<ReturnType<typeof demo>>): void {
  const well = { code: 0, ok: true, faults: [], stage: 'delivered' }
  expect({ code, ok, faults, stage: task?.stage }, stderr).toEqual(well)
  expect(kubernetes).toMatchObject({ tasks: { [task.name]: 'delivered' }, left: [] })
  expect(kubernetes?.claims.toSorted()).toEqual(['cache-demo', `ws-${task.name}`])
}

/** On a cluster of its own, as most people start it. */
async function delivers(): Promise<void> {
  const ran = await demo('own')
  expectDelivered(ran)
  const { mergeRequest, pods, kubernetes } = ran.report
  expect(mergeRequest?.mergeCommit).toMatch(/^[0-9a-f]{40}$/)
  expect(new Set(pods.map(({ agent }) => agent))).toEqual(new Set(['implement', 'review']))
  const names = pods.map(({ name }) => name.replace('/', '-'))
  expect(kubernetes?.pods).toEqual(names.map((name) => ({ name, phase: 'Succeeded' })))
  expect(kubernetes?.events.toSorted()).toEqual(['Admitted', 'Merged'])
}

async function remembers(): Promise<void> {
  const { code, stderr, report } = await demo('remembers', ['--memory', 'light'])
  expect({ code, faults: report.faults }, stderr).toEqual({ code: 0, faults: [] })
  const { asked = [], ...stack } = report.memory ?? {}
  const endpoint = 'http://memory-demo.statewright-demo.svc:8080'
  expect(stack).toEqual({ profile: 'light', phase: 'Running', endpoint })
  const calls = asked.map(({ agent, tool }) => `${agent} ${tool}`)
  expect(calls).toEqual(['implement memory_write', 'review memory_query'])
  const words = expect.stringContaining('matchAll')
  const [id = ''] = asked.flatMap(({ answered }) => Object.keys(answered))
  expect(asked.map(({ answered }) => answered)).toEqual([{ [id]: words }, { [id]: words }])
  expect(report.kubernetes).toMatchObject({ left: [] })
  expect(report.kubernetes?.stays).toEqual([
    'persistentvolumeclaims/mempg-demo-data',
    'persistentvolumeclaims/mempg-demo-wal',
    'secrets/memory-demo',
    'secrets/mempg-demo',
  ])
}

/** CI plays one, drawn by the commit. */
const demos = [
  {
    title: 'an issue becomes a merged change by agents in pods, and nothing is left at the API server',
    play: delivers,
  },
  {
    title: 'its agents write into the memory stack of their Project and ask it, and its data outlives the Project',
    play: remembers,
  },
]

describeRequiring('kubernetes', 'the demo in a cluster', () => {
  test.each(drawnOf(demos, ({ title }) => title))('$title', { timeout }, ({ play }) => play())
})

/** An address that is not the loopback's, where this machine has one: then nothing reaches the loopback by chance. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each = []) => each)
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** A class of storage, and a namespace of somebody else with a Project. */
async function fill(plane: ControlPlane): Promise<void> {
  const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot', maintainerLogins: ['maria'] }
  const urls = { apiURL: 'https://forge.example/api/v3', webURL: 'https://forge.example' }
  const [provisioner, theirs] = ['kubernetes.io/host-path', { name: 'theirs', namespace: 'neighbour' }]
  const spec = { scmSecretRef: 'theirs', scm: { ...scm, ...urls } }
  const objects = [
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: storageClass }, provisioner },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: theirs.namespace } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: theirs, data: { key: 'value' } },
    { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { ...theirs, name: 'demo' }, spec },
  ]
  await plane.must(['create', '-f', '-'], objects.map((one) => stringify(one)).join('---\n'))
}

/** Each object of each kind that can be listed, as JSON; without heartbeats, and a record of events that ends by itself. */
async function everythingIn(plane: ControlPlane): Promise<Readonly<Record<string, string>>> {
  const kinds = (await plane.must(['api-resources', '--verbs', 'list', '-o', 'name'])).trim().split('\n')
  const still = kinds.filter((kind) => !/^(?:leases|events)\b/.test(kind)).join()
  const { items } = JSON.parse(await plane.must(['get', still, '-A', '-o', 'json'])) as { items: KubeObject[] }
  const found = items.map(({ metadata: { resourceVersion: _version, ...metadata }, ...object }) => {
    const { kind, status } = object as { readonly kind?: string; readonly status?: unknown }
    const shown = { ...object, metadata, status: kind === 'Node' ? undefined : status }
    return [`${kind}/${metadata.namespace ?? ''}/${metadata.name}`, JSON.stringify(shown)]
  })
  return Object.fromEntries(found) as Readonly<Record<string, string>>
}

interface PodSpec {
  readonly containers: readonly { readonly env?: readonly { readonly value?: string }[] }[]
}

/** Namespaces of all pods from now on, and hosts of all URLs that their containers got in their environment. */
function followPods(
  client: KubeClient,
): () => Promise<{ readonly hosts: Set<string>; readonly namespaces: Set<string> }> {
  const [hosts, namespaces, ending] = [new Set<string>(), new Set<string>(), new AbortController()]
  const { signal } = ending
  const follow = async (): Promise<void> => {
    // The server ends a watch now and then; what is there comes again.
    while (!signal.aborted)
      for await (const { object } of client.watch(pathOf(podsResource), { signal })) {
        namespaces.add(object.metadata.namespace!)
        const { containers = [] } = (object.spec ?? {}) as Partial<PodSpec>
        const values = containers.flatMap(({ env = [] }) => env.map(({ value = '' }) => value)).join(' ')
        for (const [, host = ''] of values.matchAll(/https?:\/\/([^/:"\s]+)/g)) hosts.add(host)
      }
  }
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return async () => {
    ending.abort()
    await following
    return { hosts, namespaces }
  }
}

describe.runIf(process.env['STATEWRIGHT_GIVEN'] === '1')('the demo in a given cluster', () => {
  let [plane, client, kubelet]: [ControlPlane, KubeClient, Kubelet] = [] as never
  let before: Awaited<ReturnType<typeof everythingIn>>

  beforeAll(async () => {
    plane = await startControlPlane({ crds: join(programDir, 'crd', 'generated'), controllers: true })
    client = createKubeClient({ kubeconfig: plane.kubeconfig })
    await fill(plane)
    kubelet = await startKubelet({
      ...{ client, root: join(dir, 'kubelet'), node: 'given', namespaces: [] },
      ...{ images: { [image]: wrapperOfSources() }, programs: [programDir] },
      ...{ clock: systemClock, random: Math.random, logger: captureLog().logger },
    })
    before = await everythingIn(plane)
  }, 300_000)

  afterAll(async () => {
    await kubelet?.stop()
    await client?.close()
    await plane?.stop()
  }, 60_000)

  async function demoGiven(name: string, more: readonly string[] = [], interruptAt?: string) {
    const url = `http://${ownAddress()}:${await freePort()}`
    const given = ['--kubeconfig', plane.kubeconfig, '--image', image, '--operator-url', url]
    const ran = await demo(name, [...given, '--storage-class', storageClass, ...more], interruptAt)
    // The volumes of a demo's claims are the provisioner's to delete, a little later.
    const isBefore = async (): Promise<void> => expect(await everythingIn(plane), ran.stderr).toEqual(before)
    await vi.waitFor(isBefore, { timeout: 60_000, interval: 500 })
    return ran
  }

  test(
    'delivers in a namespace of its own that is gone afterwards, and changes nothing else',
    { timeout },
    async () => {
      const end = followPods(client)
      const ran = await demoGiven('delivers').finally(end)
      const { hosts, namespaces } = await end()
      expectDelivered(ran)
      expect(hosts).toEqual(new Set([ownAddress()]))
      expect([...namespaces]).toEqual([expect.stringMatching(/^statewright-demo-[0-9a-f]{8}$/)])
    },
  )

  test('Ctrl-C while an agent works removes the namespace too', { timeout }, async () => {
    const { code, report, stderr } = await demoGiven('interrupted', [], 'pod 1 works')
    expect([code, report.faults], stderr).toEqual([1, expect.arrayContaining(['stopped before the end'])])
  })

  test('a demo that fails removes it as well', { timeout }, async () => {
    const scenario = join(dir, 'no-issue.yaml')
    const { task: _task, ...played } = parse(readFileSync(defaultScenarioFile, 'utf8')) as Record<string, unknown>
    const repository = join(dirname(defaultScenarioFile), String(played['repository']))
    writeFileSync(scenario, stringify({ ...played, repository }))
    const { code, stderr } = await demoGiven('fails', ['--scenario', scenario])
    expect([code, stderr]).toEqual([1, expect.stringContaining('opens no issue')])
  })
})
