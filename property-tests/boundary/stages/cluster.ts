/** Pods of a Kubernetes cluster: a real API server, the platform's own adapter that makes them, and a kubelet to test with. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { answered } from '../../../edges/kubernetes/api/answers.ts'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { pathOf } from '../../../edges/kubernetes/api/api.ts'
import { wrapperContainer } from '../../../edges/kubernetes/pods/pod-manifest.ts'
import { podName } from '../../../edges/kubernetes/pods/pod-names.ts'
import { find, podsResource } from '../../../edges/kubernetes/pods/pod-requests.ts'
import type { PodSecurity } from '../../../edges/kubernetes/pods/pod-security.ts'
import { withPodCluster, type PodCluster } from '../../../edges/kubernetes/testing/pod-cluster.ts'
import type { PodInputs, PodObservation } from '../../../edges/ports/pods.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { startKubelet, type Kubelet } from '../../../standins/kubelet/kubelet.ts'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { waitFor } from '../../../wrapper/testing/pod.ts'

export interface ClusterPod {
  /** Undefined while it is not ready. */
  url(): string | undefined
  /** What its main container printed. */
  log(): string
  /** The container's first process, by its number out here. */
  first(): number
  /** Undefined while it lives. */
  end(): PodObservation | undefined
  remove(how: { readonly force: boolean }): Promise<void>
}

export interface ClusterTask {
  /** Once its volumes are bound; resolves once the server has the pod. */
  create(ordinal: number, inputs: PodInputs): Promise<ClusterPod>
  /** Ends every process of its pods, at once. */
  close(): Promise<void>
}

interface TaskOptions {
  readonly name: string
  readonly image: string
  /** Of its pods; the image's user unless told. */
  readonly security?: PodSecurity
}

export interface Cluster {
  /** A Task of this name, in a namespace of its own. */
  openTask(options: TaskOptions): Promise<ClusterTask>
  close(): Promise<void>
}

const repository = join(import.meta.dirname, '..', '..', '..')
const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'boundary', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
}
/** Longer than a graceful end may take. */
const endLimitMs = 150_000
const bindLimitMs = 30_000

/** By image, the words that a container of it runs, with Node in its PATH. */
type Programs = Readonly<Record<string, readonly string[]>>

const withNode = 'PATH="$1:$PATH"; shift; exec "$@"'

interface Node {
  readonly kubelet: Kubelet
  stop(): Promise<void>
}

export async function openCluster(programs: Programs): Promise<Cluster> {
  const client = createKubeClient({ kubeconfig: sharedControlPlane().kubeconfig })
  const classes = { apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' }
  await client.ask('POST', pathOf(classes), { body: storageClass }).catch((error: unknown) => {
    if (!answered(error, 409)) throw error
  })
  const open = new Set<ClusterTask>()
  return {
    async openTask(options) {
      const task = await openTask(options, programs)
      open.add(task)
      return { ...task, close: () => (open.delete(task), task.close()) }
    },
    async close() {
      await Promise.all([...open].map((task) => task.close()))
      await client.close()
    },
  }
}

/** Of one namespace: another run on the same server has pods of its own. */
async function startNode({ client, namespace, log }: PodCluster, programs: Programs): Promise<Node> {
  const root = mkdtempSync(join(tmpdir(), 'boundary-kubelet-'))
  const kubelet = await startKubelet({
    ...{ client, root, node: namespace, namespaces: [namespace], programs: [repository] },
    images: Object.fromEntries(
      Object.entries(programs).map(([image, words]) => [
        image,
        ['/bin/sh', '-c', withNode, 'program', dirname(process.execPath), ...words],
      ]),
    ),
    ...{ clock: systemClock, random: Math.random, logger: log.logger },
  })
  return {
    kubelet,
    async stop() {
      await kubelet.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function openTask(
  { name, image, security = { runAsNonRoot: false } }: TaskOptions,
  programs: Programs,
): Promise<ClusterTask> {
  const { cluster, close } = await opened()
  const { client } = cluster
  const { kubelet, stop } = await startNode(cluster, programs)
  const spec = await cluster.task(name)
  const heard = new Map<string, PodObservation>()
  let given: PodInputs | undefined
  const pods = cluster.start({ image, security, workspaces: true, inputs: async () => given! })
  pods.watch(async (observation) => void heard.set(observation.pod, observation))
  const made: ClusterPod[] = []
  return {
    async create(ordinal, inputs) {
      given = inputs
      const pod = `${spec.task}/${ordinal}`
      await whenBound(() => pods.bindVolumes(spec))
      await pods.create({ ...spec, pod, ordinal })
      const object = (await find(client, podsResource, podName(pod)))!
      const { uid } = object.metadata
      const log = kubelet.logOf({ ...podName(pod), uid }, wrapperContainer)
      const end: ClusterPod['end'] = () => {
        const seen = heard.get(pod)
        return seen?.state === 'gone' ? seen : undefined
      }
      const one: ClusterPod = {
        url: () => {
          const seen = heard.get(pod)
          return seen?.state === 'ready' ? seen.url : undefined
        },
        log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
        first: () => {
          const first = kubelet.firstOf(uid, wrapperContainer)
          if (first === undefined) throw new Error(`nothing of ${pod} runs`)
          return first
        },
        end,
        remove: async (how) => {
          await pods.remove(pod, how)
          await waitFor(
            () => end() !== undefined,
            endLimitMs,
            () => `${pod} does not end`,
          )
        },
      }
      made.push(one)
      return one
    },
    async close() {
      await stop()
      await close()
    },
  }
}

async function whenBound(bind: () => Promise<void>): Promise<void> {
  const limit = Date.now() + bindLimitMs
  for (;;) {
    try {
      return await bind()
    } catch (error) {
      if (!(error instanceof RetryableError) || Date.now() > limit) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** What lasts until it is closed, instead of until a function returns. */
async function opened(): Promise<{ readonly cluster: PodCluster; close(): Promise<void> }> {
  const is = Promise.withResolvers<PodCluster>()
  const closing = Promise.withResolvers<void>()
  const whole = withPodCluster(async (cluster) => {
    is.resolve(cluster)
    await closing.promise
  })
  whole.catch(is.reject)
  return {
    cluster: await is.promise,
    close: async () => {
      closing.resolve()
      await whole
    },
  }
}
