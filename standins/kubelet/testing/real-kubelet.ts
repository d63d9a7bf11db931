/** A kubelet of a test's own on the real API server: its namespace, its folders, and what one asks of its pods. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { answered } from '../../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { captureLog, type LogCapture } from '../../../http/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { memoryOf, startKubelet, type Kubelet, type KubeletOptions } from '../kubelet.ts'

export interface Scene {
  readonly client: KubeClient
  readonly kubelet: Kubelet
  readonly namespace: string
  readonly root: string
  readonly log: LogCapture
  /** Each status of each pod of the namespace, by pod name, as a watch saw it. */
  readonly seen: ReadonlyMap<string, readonly KubeObject[]>
  /** Another one with the same folder and Node. */
  restart(): Promise<Kubelet>
  create(plural: string, body: object): Promise<KubeObject>
  read(name: string): Promise<KubeObject | undefined>
  remove(name: string, body?: object): Promise<void>
  /** Bounded. Where the pod is gone, `seen` has its last status too. @throws with the last pod it saw. */
  until(name: string, is: (pod: KubeObject | undefined) => boolean): Promise<KubeObject | undefined>
}

const limitMs = 40_000
/** What is waited for stays as it is. */
const lookEveryMs = 100
export const program = join(import.meta.dirname, 'program.mjs')
export const repository = join(import.meta.dirname, '..', '..', '..')
/** The packages of a worktree may be a link to those of another. */
export const programs = [repository, realpathSync(join(repository, 'node_modules'))]

const pods = { apiVersion: 'v1', plural: 'pods' }

export async function withKubelet(
  use: (scene: Scene) => Promise<void>,
  own: Partial<KubeletOptions> = {},
): Promise<void> {
  const plane = sharedControlPlane()
  const namespace = await plane.ownNamespace()
  const root = mkdtempSync(join(tmpdir(), 'kubelet-'))
  const client = createKubeClient({ kubeconfig: plane.kubeconfig })
  const log = captureLog()
  const options: KubeletOptions = {
    client,
    root,
    node: `node-${namespace}`,
    namespaces: [namespace],
    images: {
      'example.test/program:1': [process.execPath, program],
      'example.test/wrapper:1': [process.execPath, join(repository, 'bin', 'statewright.mjs'), 'wrapper'],
      'example.test/missing:1': ['/no/such/program'],
    },
    programs,
    clock: systemClock,
    random: Math.random,
    logger: log.logger,
    ...own,
  }
  const kubelets = [await startKubelet(options)]
  const seen = new Map<string, KubeObject[]>()
  const deleted = new Set<string>()
  const ending = new AbortController()
  const watching = follow(client, namespace, { seen, deleted }, ending.signal)
  const read = (name: string): Promise<KubeObject | undefined> =>
    client.ask('GET', pathOf(pods, { namespace, name })).catch((error: unknown) => {
      if (answered(error, 404)) return undefined
      throw error
    })
  try {
    await use({
      client,
      kubelet: kubelets[0]!,
      namespace,
      root,
      log,
      seen,
      read,
      restart: async () => {
        const next = await startKubelet(options)
        kubelets.push(next)
        return next
      },
      create: (plural, body) => client.ask('POST', pathOf({ apiVersion: 'v1', plural }, { namespace }), { body }),
      remove: async (name, body) => void (await client.ask('DELETE', pathOf(pods, { namespace, name }), { body })),
      until: async (name, is) => {
        const deadline = Date.now() + limitMs
        for (;;) {
          const pod = await read(name)
          if (is(pod) && (pod !== undefined || deleted.has(name))) return pod
          if (Date.now() > deadline) throw new Error(`${name}: ${JSON.stringify(pod?.status)}`)
          await wait(lookEveryMs)
        }
      },
    })
  } finally {
    ending.abort()
    await watching
    await Promise.all(kubelets.map((one) => one.stop()))
    await client.close()
    rmSync(root, { recursive: true, force: true })
  }
  if (existsSync(memoryOf(root))) throw new Error('the kubelet left something in memory')
}

async function follow(
  client: KubeClient,
  namespace: string,
  { seen, deleted }: { readonly seen: Map<string, KubeObject[]>; readonly deleted: Set<string> },
  signal: AbortSignal,
): Promise<void> {
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
  for await (const { type, object } of client.watch(pathOf(pods, { namespace }), { query, signal })) {
    if (type === 'BOOKMARK' || type === 'ERROR') continue
    const { name } = object.metadata
    seen.set(name, [...(seen.get(name) ?? []), object])
    if (type === 'DELETED') deleted.add(name)
  }
}
