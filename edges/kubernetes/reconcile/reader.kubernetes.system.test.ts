/** The port's own contract on a real server: Projects and Secrets in namespaces of the test, under the contract's names. */
import { expect } from 'vitest'
import { kindNamed } from '../../../crd/kinds.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { resourceReaderContract, secretReaderContract } from '../../ports/contract/resources-contract.ts'
import type { Resource, ResourceReader, Wanted } from '../../ports/resources.ts'
import { answered } from '../api/answers.ts'
import { applyPatch, pathOf, type KubeClient } from '../api/api.ts'
import { createResourceReader } from './resources.ts'
import { kubeSecrets } from './secrets.ts'
import { withRealServer, type RealServer } from '../testing/real-server.ts'

const resource = (kind: string) => ({ apiVersion: 'platform.dev/v1alpha1', plural: kindNamed(kind)!.plural })

/** The contract's namespaces, each as one of this test's. */
async function ownNamespaces(client: KubeClient): Promise<ReadonlyMap<string, string>> {
  const names = ['default', 'team'].map((name) => [name, `t-${name}-${crypto.randomUUID().slice(0, 8)}`] as const)
  for (const [, name] of names)
    await client.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    })
  return new Map(names)
}

function underContractNames(reader: ResourceReader, own: ReadonlyMap<string, string>): ResourceReader {
  const contractName = (name: string) => [...own].find(([, mine]) => mine === name)![0]
  const turned = (found: Resource): Resource => ({ ...found, namespace: contractName(found.namespace) })
  return {
    get: async (kind, namespace, name) => {
      const found = await reader.get(kind, own.get(namespace)!, name)
      return found && turned(found)
    },
    list: async (kind, namespace) => (await reader.list(kind, namespace && own.get(namespace))).map(turned),
  }
}

async function withOwnNamespaces(
  use: (server: RealServer, own: ReadonlyMap<string, string>) => Promise<void>,
): Promise<void> {
  await withRealServer(async (server) => use(server, await ownNamespaces(server.client)))
}

describeRequiring('kubernetes', 'a real API server', () => {
  resourceReaderContract('Kubernetes', (use) =>
    withOwnNamespaces(async ({ client, cacheOf }, own) => {
      const kinds = ['Project', 'Repository', 'Task']
      const caches = Object.fromEntries(kinds.map((kind) => [kind, cacheOf(resource(kind), [...own.values()])]))
      await Promise.all(Object.values(caches).map((cache) => cache.start()))
      const locate = ({ kind, namespace, name }: Wanted) =>
        pathOf(resource(kind), { namespace: own.get(namespace)!, name })
      const cached = ({ kind, namespace, name }: Wanted) => caches[kind]!.get(`${own.get(namespace)}/${name}`)
      await use({
        resources: underContractNames(createResourceReader(caches), own),
        apply: async (wanted) => {
          const { kind, name, spec } = wanted
          const { apiVersion } = resource(kind)
          const query = { fieldManager: 'a-person', force: true }
          const body = { apiVersion, kind, metadata: { name }, spec }
          const { metadata } = await client.ask('PATCH', locate(wanted), { query, body, type: applyPatch })
          await expect.poll(() => cached(wanted)?.metadata.resourceVersion).toBe(metadata.resourceVersion)
        },
        remove: async (wanted) => {
          await client.ask('DELETE', locate(wanted))
          await expect.poll(() => cached(wanted)).toBeUndefined()
        },
      })
    }),
  )

  secretReaderContract('Kubernetes', (use) =>
    withOwnNamespaces(async ({ client }, own) => {
      const secrets = kubeSecrets(client)
      await use({
        secrets: { read: (namespace, name) => secrets.read(own.get(namespace)!, name) },
        write: async (namespace, name, stringData) => {
          const path = pathOf({ apiVersion: 'v1', plural: 'secrets' }, { namespace: own.get(namespace)! })
          await client.ask('DELETE', `${path}/${name}`).catch((error: unknown) => {
            if (!answered(error, 404)) throw error
          })
          await client.ask('POST', path, { body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData } })
        },
      })
    }),
  )
})
