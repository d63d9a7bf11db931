/** CloudNativePG's stand-in and a kubelet with the images of a memory stack, in a namespace of a test's own. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { answered } from '../../../edges/kubernetes/api/answers.ts'
import {
  mergePatch,
  pathOf,
  type KubeObject,
  type KubeResource,
  type Where,
} from '../../../edges/kubernetes/api/api.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { KubeletOptions } from '../../kubelet/kubelet.ts'
import { programs, repository, withKubelet, type Scene } from '../../kubelet/testing/real-kubelet.ts'
import { startCnpg, type Cnpg } from '../cnpg.ts'

export const postgresImage = 'example.test/postgres:17'
export const memoryImage = 'example.test/memory:1'
export const catalog = 'postgresql-minimal-trixie'

export interface Stack extends Scene {
  readonly cnpg: Cnpg
  /** Of the namespace; its claims may grow. */
  readonly storageClass: string
  make(resource: KubeResource, body: object): Promise<KubeObject>
  change(resource: KubeResource, name: string, body: object): Promise<KubeObject>
  drop(resource: KubeResource, name: string): Promise<void>
  find(resource: KubeResource, name: string): Promise<KubeObject | undefined>
  list(resource: KubeResource): Promise<readonly KubeObject[]>
  /** Bounded. @throws with what it saw last. */
  untilIs(
    resource: KubeResource,
    name: string,
    is: (object: KubeObject | undefined) => boolean,
  ): Promise<KubeObject | undefined>
}

const limitMs = 40_000
const lookEveryMs = 50

const ownAddress = `NODE_OPTIONS=--import=${join(repository, 'standins', 'kubelet', 'own-address.mjs')}`

/** What `startKubelet` needs for a memory stack: the images by the names above. */
export const stackImages: Pick<KubeletOptions, 'images' | 'programs'> = {
  images: {
    [postgresImage]: ['bash', join(repository, 'standins', 'cnpg', 'postgres-image.sh')],
    [memoryImage]: ['env', ownAddress, process.execPath, join(repository, 'bin', 'statewright.mjs')],
  },
  programs,
}

/** A kubelet with the images of a memory stack and a class whose claims grow, without CloudNativePG. */
export async function withStorage(
  use: (scene: Scene & Pick<Stack, 'storageClass'>) => Promise<void>,
  images: typeof stackImages = stackImages,
): Promise<void> {
  await withKubelet(async (scene) => {
    const { client, namespace } = scene
    const storageClass = namespace
    const classes = { apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' }
    await client.ask('POST', pathOf(classes), {
      body: {
        metadata: { name: storageClass },
        provisioner: 'kubernetes.io/host-path',
        allowVolumeExpansion: true,
      },
    })
    try {
      await use({ ...scene, storageClass })
    } finally {
      await client.ask('DELETE', pathOf(classes, { name: storageClass }))
    }
  }, images)
}

export async function withStack(use: (stack: Stack) => Promise<void>, images = stackImages): Promise<void> {
  await withStorage(async (scene) => {
    const { client, namespace, root, log } = scene
    const cnpg = await startCnpg({
      client,
      namespaces: [namespace],
      root: join(root, 'cnpg'),
      image: postgresImage,
      catalogs: [catalog],
      clock: systemClock,
      random: Math.random,
      logger: log.logger,
    })
    const at = (resource: KubeResource, where: Where = {}): string => pathOf(resource, { namespace, ...where })
    const find: Stack['find'] = (resource, name) =>
      client.ask('GET', at(resource, { name })).catch((error: unknown) => {
        if (answered(error, 404)) return undefined
        throw error
      })
    try {
      await use({
        ...scene,
        cnpg,
        make: (resource, body) => client.ask('POST', at(resource), { body }),
        change: (resource, name, body) => client.ask('PATCH', at(resource, { name }), { body, type: mergePatch }),
        drop: async (resource, name) => void (await client.ask('DELETE', at(resource, { name }))),
        find,
        list: async (resource) => (await client.ask<{ items: readonly KubeObject[] }>('GET', at(resource))).items,
        untilIs: async (resource, name, is) => {
          const deadline = Date.now() + limitMs
          for (;;) {
            const object = await find(resource, name)
            if (is(object)) return object
            if (Date.now() > deadline)
              throw new Error(
                `${name}: ${JSON.stringify(object?.status)}\n${JSON.stringify(log.lines())}\n${lastLinesOf(root)}`,
              )
            await wait(lookEveryMs)
          }
        },
      })
    } finally {
      await cnpg.stop()
    }
  }, images)
}

/** Of each container, for whoever reads why a test failed. */
function lastLinesOf(root: string): string {
  const logs = join(root, 'logs')
  const files = existsSync(logs) ? readdirSync(logs, { recursive: true, encoding: 'utf8' }) : []
  return files
    .filter((file) => file.endsWith('.log'))
    .map((file) => `${file}\n${readFileSync(join(logs, file), 'utf8').slice(-2_000)}`)
    .join('\n')
}
