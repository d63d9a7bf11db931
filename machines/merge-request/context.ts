import type { MergeRequestFacts } from './events.ts'

/** A review Task that waits in the queue, and the head and base it was asked for; older journals have no base. */
interface Mint {
  readonly task: string
  readonly entry: string
  readonly headSha: string
  readonly baseBranch?: string
  /** Asked for by another Task: never taken back here. */
  readonly shared?: true
}

/** Plain JSON. Task ids, never addresses. */
export interface MergeRequestContext {
  readonly id: string
  readonly facts: MergeRequestFacts | null
  /** The one live Task that owns it (LAW-7); empty: none. */
  readonly owner: string
  readonly mint: Mint | null
  readonly mints: number
  /** A Task ended here: no new one until a person pushes or asks. */
  readonly held: boolean
  readonly urged: boolean
  /** A sweep offered this head, whoever wrote it. */
  readonly offered?: string
  /** A maintainer cancelled work on this head: no sweep offers it. */
  readonly cancelled?: string
  /** The verdict that stands, on exactly this head. */
  readonly verdict: { readonly task: string; readonly sha: string; readonly value: string; readonly at: number } | null
}

export function newMergeRequest(id: string): MergeRequestContext {
  return { id, facts: null, owner: '', mint: null, mints: 0, held: false, urged: false, verdict: null }
}
