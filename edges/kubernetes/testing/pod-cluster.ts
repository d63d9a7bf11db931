/** Pods on the real API server: a namespace of its own with a Project, Tasks, a node, and what the port asked of the server. */
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../runtime/clock.ts'
import { kindNamed } from '../../../crd/kinds.ts'
import { createObjectCache } from '../api/cache.ts'
import {
  pathOf,
  type KubeClient,
  type KubeObject,
  type KubeResource,
  type ObjectCache,
  type Question,
} from '../api/api.ts'
import { podSelector } from '../pods/pod-names.ts'
import { find, podsResource } from '../pods/pod-requests.ts'
import { KubernetesPods, type KubernetesPodsOptions } from '../pods/pods.ts'
import { aPodSpec, podInputs } from './pod-fixture.ts'
import { handKubelet, type HandKubelet } from './pod-kubelet.ts'
import { withRealServer, type RealServer } from './real-server.ts'
import type { PodObservation, PodSpec } from '../../ports/pods.ts'

export interface PodCluster extends Pick<RealServer, 'plane' | 'client' | 'log'> {
  readonly namespace: string
  readonly kubelet: HandKubelet
  readonly cache: ObjectCache
  readonly pods: KubernetesPods
  readonly heard: PodObservation[]
  /** What `pods` sent with each deletion. */
  readonly deletions: unknown[]
  /** A Task with its object, and the spec of a pod of it. */
  task(name: string): Promise<PodSpec>
  make(resource: KubeResource, body: object, query?: Question['query']): Promise<KubeObject>
  read(resource: KubeResource, name: string): Promise<KubeObject | undefined>
  /** Another process, or one with other settings. */
  start(options?: Partial<KubernetesPodsOptions>): KubernetesPods
}

const accounts: KubeResource = { apiVersion: 'v1', plural: 'serviceaccounts' }
const nodes: KubeResource = { apiVersion: 'v1', plural: 'nodes' }
const namespaces: KubeResource = { apiVersion: 'v1', plural: 'namespaces' }
const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }

export async function withPodCluster(use: (cluster: PodCluster) => Promise<void>, project: object = {}): Promise<void> {
  await withRealServer(async (server) => {
    const { client, log } = server
    const namespace = `t-${randomUUID().slice(0, 13)}`
    await client.ask('POST', pathOf(namespaces), { body: { metadata: { name: namespace } } })
    await client.ask('POST', pathOf(nodes), { body: { metadata: { name: namespace } } })
    await accountThere(client, namespace)
    const cache = createObjectCache({
      ...{ client, resource: podsResource, namespaces: [namespace], labelSelector: podSelector },
      ...{ clock: systemClock, random: Math.random, logger: log.logger },
    })
    await cache.start()
    const started: KubernetesPods[] = []
    try {
      await use(clusterOf(server, { namespace, cache, started, project }))
    } finally {
      for (const pods of started) await pods.stop()
      await cache.stop()
      // Of many nodes that nobody beats for, a controller would think that the network is lost.
      await client.ask('DELETE', pathOf(nodes, { name: namespace }))
    }
  })
}

interface Parts {
  readonly namespace: string
  readonly cache: ObjectCache
  readonly started: KubernetesPods[]
  readonly project: object
}

function clusterOf({ plane, client, log }: RealServer, { namespace, cache, started, project }: Parts): PodCluster {
  const deletions: unknown[] = []
  const listening: KubeClient = {
    ...client,
    ask: (method, path, question) => {
      if (method === 'DELETE') deletions.push(question?.body)
      return client.ask(method, path, question)
    },
  }
  const make: PodCluster['make'] = (resource, body, query = {}) =>
    client.ask('POST', pathOf(resource, { namespace }), { body, query })
  const start = (options: Partial<KubernetesPodsOptions> = {}): KubernetesPods => {
    const pods = new KubernetesPods({
      ...{
        client: listening,
        cache,
        tasks: { list: () => [] },
        image: 'statewright/wrapper:v0',
        security: { runAsNonRoot: false },
      },
      ...{
        workspaces: false,
        inputs: async () => podInputs,
        clock: systemClock,
        random: Math.random,
        logger: log.logger,
      },
      ...options,
    })
    started.push(pods)
    pods.begin()
    return pods
  }
  const pods = start()
  const heard: PodObservation[] = []
  pods.watch(async (observation) => void heard.push(observation))
  return {
    ...{ plane, client, log, namespace, cache, pods, heard, deletions, make, start },
    kubelet: handKubelet(client, namespace),
    read: (resource, name) => find(client, resource, { namespace, name }),
    async task(name) {
      const spec = { scmSecretRef: 'scm', scm, ...project }
      const wanted = { projectRef: `of-${name}`, kind: 'implement', goal: 'g', repositories: [] }
      for (const [kind, of, given] of [
        ['Project', `of-${name}`, spec],
        ['Task', name, wanted],
      ] as const) {
        const resource = kindNamed(kind)!
        await make(resource, { apiVersion: resource.apiVersion, kind, metadata: { name: of }, spec: given })
      }
      return aPodSpec({ task: `${namespace}/${name}`, ordinal: 1, project: `${namespace}/of-${name}` })
    },
  }
}

/** No pod of a namespace is taken before its controller made the account. */
async function accountThere(client: KubeClient, namespace: string): Promise<void> {
  const until = Date.now() + 30_000
  while ((await find(client, accounts, { namespace, name: 'default' })) === undefined) {
    if (Date.now() > until) throw new Error(`${namespace} has no service account after 30 s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
