import type { PodRepository } from '../../machines/effect.ts'

/** Everything a pod is started with; `pod` is the pod actor's id, `<task>/<ordinal>`. */
export interface PodSpec {
  readonly pod: string
  readonly task: string
  readonly ordinal: number
  readonly project: string
  readonly agentKind: string
  readonly model: string
  readonly effort: string
  readonly permissionMode: string
  readonly turnTimeoutSeconds: number
  readonly agentPodTTLSeconds: number
  readonly repositories: readonly PodRepository[]
}

/** `reason`: one of a few constants of the place, such as `process-ended`. `detail`: the pod's last words. */
export interface Gone {
  readonly pod: string
  readonly state: 'gone'
  readonly reason: string
  readonly detail?: string
}

/** What a pod is given, as data (machines/turn/pod-environment.ts). An adapter adds the places and makes the files. */
export interface PodInputs {
  /** Says no path and no listener. */
  readonly env: Readonly<Record<string, string>>
  /** By the variable that will name the file, for example PLATFORM_POD_TOKEN_FILE. */
  readonly secrets: Readonly<Record<string, string>>
  /** Below CONFIG_DIR, nothing secret. */
  readonly files: Readonly<Record<string, string>>
}

/** What the platform sees of a pod, level-triggered: the same observation may be repeated. */
export type PodObservation = { readonly pod: string; readonly state: 'ready'; readonly url: string } | Gone

/** The newest of a log: at most so many lines, of at most so many bytes together. */
export interface LogWish {
  readonly lines: number
  readonly bytes: number
  /** The cursor of an earlier answer about this pod: only what came after it. Absent: from the beginning. */
  readonly after?: string
}

/**
 * What a wrapper printed, decoded as UTF-8, oldest line first.
 * `gone`: the platform has nothing of it, never or no more. `unreadable`: something behind the platform refuses or fails.
 */
export type PodLog =
  | {
      readonly state: 'read'
      /** Of a cluster. */
      readonly container?: string
      /** More may come. */
      readonly isLive: boolean
      readonly lines: readonly string[]
      /** There were earlier lines, behind `after` where that is given. */
      readonly isTruncated: boolean
      /** For the next wish; empty: nothing was printed yet. */
      readonly cursor: string
      /** Why it has not started to print, in the words of the platform. */
      readonly waits?: string
    }
  | { readonly state: 'gone' }
  | { readonly state: 'unreadable'; readonly detail: string }

/** Pods: child processes on one machine, Kubernetes pods in production. Every call may be repeated. */
export interface PodPort {
  /** Resolves once the Task's volume is there; throws while it is not. */
  bindVolumes(pod: { readonly task: string; readonly project: string }): Promise<void>
  create(spec: PodSpec): Promise<{ readonly name: string }>
  /**
   * `force` ends it at once; otherwise it has its grace. `gone`: nothing of it runs or begins to, so no watch will tell of
   * its end, for example of one that was never created.
   */
  remove(pod: string, how: { readonly force: boolean }): Promise<'ending' | 'gone'>
  deleteWorkspace(task: string): Promise<void>
  /** Of a pod that was created, asked instead of told: undefined while it lives and is not ready. One that is not there is gone. */
  look(pod: string): Promise<PodObservation | undefined>
  /** @throws Problem `invalid-input` for a cursor that it did not give. */
  logOf(pod: string, wish: LogWish): Promise<PodLog>
  /** Tells of every pod there is now, then of every change, and again where the listener rejects. */
  watch(listener: (observation: PodObservation) => Promise<void>): () => void
}
