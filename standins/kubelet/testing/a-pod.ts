import type { Container, Pod, PodSpec, PodStatus } from '../pod.ts'

interface PodParts {
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<PodSpec>
  readonly status?: PodStatus
}

export const aContainer = (name: string, own: Partial<Container> = {}): Container => ({ name, image: 'x', ...own })

/** Bound to `node`, with one container. */
export function aPod({ labels = {}, spec = {}, status = {} }: PodParts = {}): Pod {
  return {
    metadata: {
      name: 'pod',
      namespace: 'default',
      uid: 'uid-1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
    },
    spec: { nodeName: 'node', restartPolicy: 'Never', containers: [aContainer('main')], ...spec },
    status,
  }
}
