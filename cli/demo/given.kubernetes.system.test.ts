/**
 * The whole demo in a cluster that was there before, as a person starts it: `npm run test:kubernetes -- --given`. A control
 * plane and a kubelet of the test are that cluster. All that is in it besides is the same afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import type { KubeClient } from '../../edges/kubernetes/api/api.ts'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startKubelet, type Kubelet } from '../../standins/kubelet/kubelet.ts'
import { startControlPlane, type ControlPlane } from '../../testing/control-plane.ts'
import { wrapperOfSources } from '../local/cluster/demo-kubelet.ts'
import { freePort } from '../local/processes/ports.ts'
import { defaultScenarioFile } from '../local/standins.ts'
import { programDir } from '../program.ts'
import type { Report } from './report.ts'
import { everythingIn, fillCluster, followPods, storageClass } from './testing/cluster-contents.ts'

/** Ten times what it takes alone. */
const limitMs = 800_000
const image = 'registry.example/wrapper:v1'
const program = join(programDir, 'bin', 'statewright.mjs')

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** An address that is not the loopback's, where this machine has one: then nothing reaches the loopback by chance. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each = []) => each)
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

describe.runIf(process.env['STATEWRIGHT_GIVEN'] === '1')('the demo in a given cluster', () => {
  let [plane, client, kubelet, dir]: [ControlPlane, KubeClient, Kubelet, string] = [] as never

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'given-'))
    plane = await startControlPlane({ crds: join(programDir, 'crd', 'generated'), controllers: true })
    client = createKubeClient({ kubeconfig: plane.kubeconfig })
    await fillCluster(client)
    kubelet = await startKubelet({
      ...{ client, root: join(dir, 'kubelet'), node: 'given', namespaces: [] },
      ...{ images: { [image]: wrapperOfSources() }, programs: [programDir] },
      ...{ clock: systemClock, random: Math.random, logger: captureLog().logger },
    })
  }, 300_000)

  afterAll(async () => {
    await kubelet?.stop()
    await client?.close()
    await plane?.stop()
    rmSync(dir, { recursive: true, force: true })
  }, 60_000)

  /** `interruptAt`: what it shows right before Ctrl-C. */
  async function demo(name: string, more: readonly string[] = [], interruptAt?: string): Promise<Ran> {
    const url = `http://${ownAddress()}:${await freePort()}`
    const given = ['--kubeconfig', plane.kubeconfig, '--image', image, '--operator-url', url]
    const options = ['--json', '--dir', join(dir, name), '--storage-class', storageClass, ...more]
    const running = promisify(execFile)(process.execPath, [program, 'demo', '--kubernetes', ...given, ...options], {
      ...{ cwd: dir, timeout: limitMs, maxBuffer: 64 * 1024 * 1024 },
    })
    let shown = ''
    running.child.stderr?.on('data', (text: string) => {
      const wasThere = interruptAt === undefined || shown.includes(interruptAt)
      shown += text
      if (!wasThere && shown.includes(interruptAt)) running.child.kill('SIGINT')
    })
    return running.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
    )
  }

  /** The volumes of a demo's claims are the provisioner's to delete, a little later. */
  const unchanged = (before: object): Promise<void> =>
    vi.waitFor(async () => expect(await everythingIn(client)).toEqual(before), { timeout: 60_000, interval: 500 })

  test(
    'delivers in a namespace of its own that is gone afterwards, and changes nothing else',
    { timeout: limitMs },
    async () => {
      const before = await everythingIn(client)
      const told = followPods(client)
      const { code, stdout, stderr } = await demo('delivers')
      const addresses = await told.end()
      const { ok, faults, task, kubernetes } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Report
      expect({ code, ok, faults, stage: task.stage }, stderr).toEqual({
        code: 0,
        ok: true,
        faults: [],
        stage: 'delivered',
      })
      expect(kubernetes).toMatchObject({ tasks: { [task.name]: 'delivered' }, left: [] })
      expect(kubernetes?.claims.toSorted()).toEqual(['cache-demo', `ws-${task.name}`])
      expect(addresses.hosts).toEqual(new Set([ownAddress()]))
      expect([...addresses.namespaces]).toEqual([expect.stringMatching(/^statewright-demo-[0-9a-f]{8}$/)])
      await unchanged(before)
    },
  )

  test('Ctrl-C while an agent works removes the namespace too', { timeout: limitMs }, async () => {
    const before = await everythingIn(client)
    const { code, stdout, stderr } = await demo('interrupted', [], 'pod 1 works')
    const { faults } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Report
    expect({ code, faults }, stderr).toMatchObject({
      code: 1,
      faults: expect.arrayContaining(['stopped before the end']),
    })
    await unchanged(before)
  })

  test('a demo that fails removes it as well', { timeout: limitMs }, async () => {
    const before = await everythingIn(client)
    const scenario = join(dir, 'no-issue.yaml')
    const { task: _task, ...played } = parse(readFileSync(defaultScenarioFile, 'utf8')) as Record<string, unknown>
    const repository = join(dirname(defaultScenarioFile), String(played['repository']))
    writeFileSync(scenario, stringify({ ...played, repository }))
    const { code, stderr } = await demo('fails', ['--scenario', scenario])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('opens no issue') })
    await unchanged(before)
  })
})
