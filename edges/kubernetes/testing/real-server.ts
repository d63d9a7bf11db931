/** What tests on a real API server share: clients that are closed, objects that are theirs. */
import { captureLog, type LogCapture } from '../../../http/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { sharedControlPlane, type ControlPlane } from '../../../testing/control-plane.ts'
import type { KubeClient, KubeResource, ObjectCache } from '../api/api.ts'
import { createObjectCache } from '../api/cache.ts'
import { createKubeClient } from '../api/client.ts'

export interface RealServer {
  readonly plane: ControlPlane
  readonly client: KubeClient
  readonly log: LogCapture
  cacheOf(resource: KubeResource, namespaces: readonly string[]): ObjectCache
}

interface RealServerOptions {
  /** Absent: the one that tests share. */
  readonly plane?: ControlPlane
  /** Absent: an administrator's, without a detour. */
  readonly kubeconfig?: string
  readonly watchSilenceMs?: number
}

export async function withRealServer(
  use: (server: RealServer) => Promise<void>,
  { plane = sharedControlPlane(), kubeconfig = plane.kubeconfig, ...timeouts }: RealServerOptions = {},
): Promise<void> {
  const client = createKubeClient({ kubeconfig, ...timeouts })
  const log = captureLog()
  const caches: ObjectCache[] = []
  const cacheOf = (resource: KubeResource, namespaces: readonly string[]): ObjectCache => {
    const { logger } = log
    const made = createObjectCache({ client, resource, namespaces, clock: systemClock, random: Math.random, logger })
    caches.push(made)
    return made
  }
  try {
    await use({ plane, client, log, cacheOf })
  } finally {
    await Promise.all(caches.map((cache) => cache.stop()))
    await client.close()
  }
}

export const configMaps: KubeResource = { apiVersion: 'v1', plural: 'configmaps' }

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
