/** What the life of a pod needs of its node. */
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import type { Faults } from './fault.ts'
import type { Images } from './image.ts'
import type { Pod, Terminated } from './pod.ts'
import type { ContainerProcess, End } from './process.ts'
import type { NodeDeps } from './status-writer.ts'
import type { VolumeFolders } from './volumes.ts'

export interface PodDeps extends NodeDeps {
  readonly images: Images
  readonly programs: readonly string[]
  readonly fault: Faults
  readonly hostIP: string
  /** Variables of the API server's Service. */
  readonly services: Readonly<Record<string, string>>
  /** Lines of a hosts file with the names of Services that a pod of that namespace knows. */
  readonly hostsOf: (namespace: string) => readonly string[]
  readonly foldersOf: (pod: Pod) => PodFolders
  /** Reserves an address until it is released; `wanted`: the one that the pod had. */
  readonly reserve: (wanted: string | undefined) => Promise<{ readonly ip: string; release(): void }>
}

export interface PodFolders extends VolumeFolders {
  /** Of the pod, with records and volumes; removed with it. */
  readonly own: string
  readonly records: string
  /** File that containers find as /etc/hosts. */
  readonly hosts: string
  readonly logOf: (container: string) => string
}

/** As the API keeps times. */
export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}

export function asPod(object: KubeObject): Pod {
  return object as unknown as Pod
}

export function terminatedOf(
  { startedAt }: Pick<ContainerProcess, 'startedAt'>,
  { exitCode, finishedAt }: End,
  { message, isOutOfMemory }: { readonly message: string; readonly isOutOfMemory: boolean },
): Terminated {
  const usual = exitCode === 0 ? 'Completed' : 'Error'
  return {
    exitCode,
    reason: isOutOfMemory ? 'OOMKilled' : usual,
    ...(message === '' ? {} : { message }),
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
  }
}
