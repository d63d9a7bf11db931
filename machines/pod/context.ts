import type { PodRepository } from '../effect.ts'

/** Everything a pod knows; plain JSON. Milliseconds are epoch, seconds are seconds. */
export interface PodContext {
  readonly id: string
  readonly task: string
  readonly project: string
  readonly queue: string
  readonly entry: string
  readonly ordinal: number
  readonly agentKind: string
  readonly model: string
  readonly effort: string
  readonly permissionMode: string
  readonly repositories: readonly PodRepository[]
  readonly turnTimeoutSeconds: number
  readonly agentPodTTLSeconds: number
  readonly stallProbeGraceSeconds: number
  readonly stallProbeMaxAttempts: number
  /** Actor id of the ledger where its turns reserve; absent: they are not metered. */
  readonly ledger?: string
  /** When its volumes were bound: residency counts from here. */
  readonly startedAt: number | null
  readonly name: string
  readonly url: string
  /** Turns started; the newest has ordinal `turns - 1`. */
  readonly turns: number
  readonly turnOpen: boolean
  readonly turnPurpose: 'work' | 'handoff'
  /** Pending events that the newest turn carries. */
  readonly carried: number
  /** A turn asked for while none could start. */
  readonly asked: number | null
  /** A hand-off note of this pod is in the Task's journal (LAW-6). */
  readonly noted: boolean
  readonly noteAsked: boolean
  readonly stopAsked: boolean
  /** Its agent died within it: it counts as lost though it is stopped in order (POD-16). */
  readonly agentLost: boolean
  /** Why it stops or was lost, as one of a few constants: a key of counts. */
  readonly reason: string
  /** What else is known of that, for people; empty: nothing. */
  readonly detail: string
}

export function newPod(id: string): PodContext {
  return {
    id,
    task: '',
    project: '',
    queue: '',
    entry: '',
    ordinal: 0,
    agentKind: '',
    model: '',
    effort: '',
    permissionMode: '',
    repositories: [],
    turnTimeoutSeconds: 0,
    agentPodTTLSeconds: 0,
    stallProbeGraceSeconds: 0,
    stallProbeMaxAttempts: 0,
    startedAt: null,
    name: '',
    url: '',
    turns: 0,
    turnOpen: false,
    turnPurpose: 'work',
    carried: 0,
    asked: null,
    noted: false,
    noteAsked: false,
    stopAsked: false,
    agentLost: false,
    reason: '',
    detail: '',
  }
}

export function turnId(context: PodContext): string {
  return `${context.id}/${context.turns - 1}`
}
