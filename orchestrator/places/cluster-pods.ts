/** Pods of the cluster: what of them the place starts, stops and shows. */
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import type { KubeClient, ObjectCache } from '../../edges/kubernetes/api/api.ts'
import { podSelector } from '../../edges/kubernetes/pods/pod-names.ts'
import { podsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { KubernetesPods } from '../../edges/kubernetes/pods/pods.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import type { Place } from './place.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface ClusterPodsOptions {
  readonly client: KubeClient
  /** Of Tasks; empty: all. */
  readonly namespaces: readonly string[]
  /** Objects of Tasks. */
  readonly tasks: ObjectCache
  readonly settings: OrchestratorSettings['kubernetes']['pods']
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

interface ClusterPods {
  readonly cache: ObjectCache
  readonly create: Place['pods']
  begin(): void
  stop(): Promise<void>
  degraded(): readonly string[]
}

export function clusterPods({ settings, ...options }: ClusterPodsOptions): ClusterPods {
  const cache = createObjectCache({ ...options, resource: podsResource, labelSelector: podSelector })
  const { image, security, resources, serviceAccount, workspaces } = settings
  let pods: KubernetesPods | undefined
  return {
    cache,
    create({ inputs }) {
      pods = new KubernetesPods({
        ...options,
        cache,
        inputs,
        image,
        security,
        workspaces,
        ...(Object.keys(resources).length === 0 ? {} : { resources }),
        ...(serviceAccount === '' ? {} : { serviceAccount }),
      })
      return pods
    },
    begin: () => pods?.begin(),
    stop: async () => pods?.stop(),
    degraded: () => pods?.degraded() ?? [],
  }
}
