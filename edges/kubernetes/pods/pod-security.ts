/** As whom the containers of a pod run, and what of the machine they may use. */
import { TerminalError } from '../../../runtime/errors.ts'
import { podRefused } from './pod-reasons.ts'

/** The operator's `agentRunAsNonRoot`, `agentRunAsUser` and `agentFsGroup` (POD-NETWORK-3). */
export interface PodSecurity {
  readonly runAsNonRoot: boolean
  /** Absent: the image's. */
  readonly runAsUser?: number
  readonly fsGroup?: number
}

/**
 * Of the pod. @throws TerminalError for `runAsNonRoot` without a user, or with user 0: a kubelet starts no such container, and
 * each pod says so (POD-NETWORK-4).
 */
export function podSecurityContext({ runAsNonRoot, runAsUser, fsGroup }: PodSecurity): object {
  if (runAsNonRoot && (runAsUser === undefined || runAsUser === 0)) {
    const given = runAsUser === undefined ? 'agentRunAsUser is not set' : 'agentRunAsUser is 0, which is root'
    const message = `agentRunAsNonRoot is on, but ${given}: set it to the number of a user above 0`
    throw new TerminalError(podRefused, message)
  }
  return {
    ...(runAsNonRoot ? { runAsNonRoot } : {}),
    // The kubelet takes the group of the image's user, else root's.
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(fsGroup === undefined ? {} : { fsGroup }),
  }
}

/**
 * The wrapper opens namespaces of its own for the agent, with a view of /proc (decisions/0028). The server takes an unmasked
 * /proc only from a pod with users of its own.
 */
export function seclusionOf(seclusion: string | undefined): { readonly pod: object; readonly wrapper: object } {
  if (seclusion === 'none') return { pod: {}, wrapper: {} }
  return { pod: { hostUsers: false }, wrapper: { securityContext: { procMount: 'Unmasked' } } }
}
