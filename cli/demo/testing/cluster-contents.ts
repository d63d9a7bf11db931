/** What is in a cluster, so that a test can show that a demo changed nothing of it. Test code only. */
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { podsResource } from '../../../edges/kubernetes/pods/pod-requests.ts'

/** Of the cluster; the demo is given its name. */
export const storageClass = 'shared-files'
const neighbour = 'neighbour'

/** A class of storage, and a namespace of somebody else with a Project. */
export async function fillCluster(client: KubeClient): Promise<void> {
  const create = (apiVersion: string, plural: string, body: object, namespace?: string): Promise<unknown> =>
    client.ask('POST', pathOf({ apiVersion, plural }, namespace === undefined ? {} : { namespace }), { body })
  const metadata = { name: storageClass }
  await create('storage.k8s.io/v1', 'storageclasses', { metadata, provisioner: 'kubernetes.io/host-path' })
  await create('v1', 'namespaces', { metadata: { name: neighbour } })
  await create('v1', 'configmaps', { metadata: { name: 'theirs' }, data: { key: 'value' } }, neighbour)
  const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot', maintainerLogins: ['maria'] }
  const urls = { apiURL: 'https://forge.example/api/v3', webURL: 'https://forge.example' }
  const spec = { scmSecretRef: 'theirs', scm: { ...scm, ...urls } }
  const project = { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { name: 'demo' }, spec }
  await create('platform.dev/v1alpha1', 'projects', project, neighbour)
}

interface Listed {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[]
}

interface Groups {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
}

/** Heartbeats, and a record of what happened that ends by itself. */
const moving: readonly string[] = ['leases', 'events']

/** Each object of each kind that can be listed, by its path, as JSON; without what heartbeats change. */
export async function everythingIn(client: KubeClient): Promise<Readonly<Record<string, string>>> {
  const { groups } = await client.ask<Groups>('GET', '/apis')
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)]
  const found: Record<string, string> = {}
  for (const apiVersion of versions) {
    const { resources } = await client.ask<Listed>('GET', pathOf({ apiVersion, plural: '' }).replace(/\/$/, ''))
    for (const { name: plural, verbs } of resources) {
      if (!verbs.includes('list') || moving.includes(plural)) continue
      const { items } = await client.ask<{ readonly items: readonly KubeObject[] }>(
        'GET',
        pathOf({ apiVersion, plural }),
      )
      for (const { metadata, ...object } of items) {
        const {
          resourceVersion: _version,
          managedFields: _fields,
          ...kept
        } = metadata as typeof metadata & {
          readonly managedFields: unknown
        }
        const still = plural === 'nodes' ? { ...object, status: undefined } : object
        found[pathOf({ apiVersion, plural }, metadata)] = JSON.stringify({ metadata: kept, ...still })
      }
    }
  }
  return found
}

export interface ToldPods {
  /** Hosts of all URLs that containers got in their environment. */
  readonly hosts: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
}

interface PodSpec {
  readonly containers: readonly { readonly env?: readonly { readonly value?: string }[] }[]
}

/** Pods of all namespaces, from now on. */
export function followPods(client: KubeClient): { end(): Promise<ToldPods> } {
  const [hosts, namespaces, ending] = [new Set<string>(), new Set<string>(), new AbortController()]
  const follow = async (): Promise<void> => {
    for await (const { type, object } of client.watch(pathOf(podsResource), { signal: ending.signal })) {
      if (type !== 'ADDED') continue
      namespaces.add(object.metadata.namespace!)
      const values = (object.spec as unknown as PodSpec).containers.flatMap(({ env = [] }) =>
        env.map(({ value = '' }) => value),
      )
      for (const [, host = ''] of values.join(' ').matchAll(/https?:\/\/([^/:"\s]+)/g)) hosts.add(host)
    }
  }
  const following = (async () => {
    // The server ends a watch now and then; what is there comes again.
    while (!ending.signal.aborted) await follow()
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  return {
    async end() {
      ending.abort()
      await following
      return { hosts, namespaces }
    },
  }
}
