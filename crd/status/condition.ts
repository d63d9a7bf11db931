/** Conditions as an API server takes them (metav1.Condition; RESOURCES-27): each type once, dated, with a reason and a message. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  /** RFC 3339. */
  readonly lastTransitionTime: string
  /** Absent until something was observed. */
  readonly observedGeneration?: number
}

/** What says so, before it is dated. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Far below the 32,768 that a server takes: a status has several, and at most 256 kB. */
const longestMessage = 4096

/** `at`: the committed time at which it came to what it is, in epoch milliseconds. */
export function dated({ type, status, reason, message }: Finding, at: number, observedGeneration?: number): Condition {
  const lastTransitionTime = new Date(at).toISOString()
  const observed = observedGeneration === undefined ? {} : { observedGeneration }
  return { type, status, reason, message: shortened(message), lastTransitionTime, ...observed }
}

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1).toWellFormed()}…`
}
