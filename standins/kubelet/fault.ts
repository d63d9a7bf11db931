import type { Pod } from './pod.ts'

/**
 * What goes wrong with a pod, as long as the function that gives it does so: once it gives nothing, the pod goes on where
 * it can.
 * - `waiting`: a container never comes to run. Any spelling; absent `container`: each that is next.
 * - `start-error`: a container is made, and its program does not start (exit code 128).
 * - `oom`: a container that runs is killed for its memory (exit code 137, `OOMKilled`). Absent `container`: the first main one.
 * - `evicted`: the node ends the pod for its own sake.
 * - `hung`: nothing of the pod is ended or confirmed, whoever deletes it.
 * - `unschedulable`: no node takes it.
 * - `slow`: each container starts so much later.
 */
export type Fault =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string; readonly container?: string }
  | { readonly kind: 'start-error'; readonly message?: string; readonly container?: string }
  | { readonly kind: 'oom'; readonly container?: string }
  | { readonly kind: 'evicted'; readonly message?: string }
  | { readonly kind: 'hung' }
  | { readonly kind: 'unschedulable'; readonly message?: string }
  | { readonly kind: 'slow'; readonly ms: number }

/** Asked again and again, so that a pod may break while it runs. */
export type Faults = (pod: Pod) => Fault | undefined
