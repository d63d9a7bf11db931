/** Everything the orchestrator's side of a turn knows; plain JSON. */
export interface TurnContext {
  readonly id: string
  /** Actor id of the pod. */
  readonly pod: string
  readonly podOrdinal: number
  readonly task: string
  readonly ordinal: number
  readonly url: string
  readonly purpose: 'work' | 'handoff'
  readonly eventsUpTo: number
  readonly turnTimeoutSeconds: number
  readonly stallProbeGraceSeconds: number
  readonly stallProbeMaxAttempts: number
  /** Actor id of the ledger where it reserved; absent: it spends unmetered. */
  readonly ledger?: string
  /** The wrapper's id of it; empty until the 202, or what overtook it (TURN-5). */
  readonly turnId: string
  readonly accepted: boolean
  /** The turn that the wrapper was busy with when it said 409. */
  readonly liveTurnId: string
  readonly lastActivityAt: number
  /** The edge's clock at the newest event that carried one: quiet windows are measured from it. */
  readonly seenAt: number
  /** Quiet windows spent since the last genuine activity. */
  readonly quietWindows: number
  /** Probes sent in all; names the newest. */
  readonly probes: number
  /** Probes in a row without an answer. */
  readonly attempts: number
}

export function newTurn(id: string): TurnContext {
  return {
    id,
    pod: '',
    podOrdinal: 0,
    task: '',
    ordinal: 0,
    url: '',
    purpose: 'work',
    eventsUpTo: 0,
    turnTimeoutSeconds: 0,
    stallProbeGraceSeconds: 0,
    stallProbeMaxAttempts: 0,
    turnId: '',
    accepted: false,
    liveTurnId: '',
    lastActivityAt: 0,
    seenAt: 0,
    quietWindows: 0,
    probes: 0,
    attempts: 0,
  }
}
