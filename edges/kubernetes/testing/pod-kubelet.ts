/** A kubelet and a scheduler that a test plays by hand, as an administrator of a real API server. */
import { mergePatch, pathOf, type KubeClient, type KubeObject, type ObjectCache } from '../api/api.ts'
import { answered } from '../api/answers.ts'
import { podsResource } from '../pods/pod-requests.ts'

export interface HandKubelet {
  bind(pod: KubeObject): Promise<void>
  status(pod: KubeObject, status: object): Promise<void>
  /** The containers ended: the object goes, with the grace that only a kubelet may give. */
  confirm(pod: KubeObject): Promise<void>
}

export function handKubelet(client: KubeClient, node: string): HandKubelet {
  const of = ({ metadata: { namespace = '', name } }: KubeObject): string => pathOf(podsResource, { namespace, name })
  return {
    async bind(pod) {
      const target = { apiVersion: 'v1', kind: 'Node', name: node }
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod.metadata.name }, target }
      await client.ask('POST', `${of(pod)}/binding`, { body })
    },
    async status(pod, status) {
      await client.ask('PATCH', `${of(pod)}/status`, { body: { status }, type: mergePatch })
    },
    async confirm(pod) {
      const { uid } = pod.metadata
      await client.ask('DELETE', of(pod), { body: { gracePeriodSeconds: 0, preconditions: { uid } } })
    },
  }
}

/** Binds each pod, runs it, and ends it once it is deleted; answers how many it has run of a name. */
export function runEachPod(
  cache: ObjectCache,
  kubelet: HandKubelet,
  running: object,
): { readonly runs: (name: string) => number; stop(): void } {
  const begun = new Map<string, string[]>()
  const ended = new Set<string>()
  const act = async (pod: KubeObject): Promise<void> => {
    const { name, uid, deletionTimestamp } = pod.metadata
    const known = begun.get(name) ?? []
    if (deletionTimestamp !== undefined) {
      if (ended.has(uid)) return
      ended.add(uid)
      return kubelet.confirm(pod)
    }
    if (known.includes(uid)) return
    begun.set(name, [...known, uid])
    await kubelet.bind(pod)
    await kubelet.status(pod, running)
  }
  const seen = (name: string): void => {
    const pod = cache.get(name)
    // A pod that went meanwhile needs nothing more.
    if (pod !== undefined) void act(pod).catch((error: unknown) => answered(error, 404) || answered(error, 409))
  }
  const stop = cache.subscribe(seen)
  return { runs: (name) => begun.get(name)?.length ?? 0, stop }
}
