/** The accepted payloads, as docs/contract/tools.md shapes them; presence and form were validated at the edge. */
import type { Finding } from '../../effect.ts'
import type { Level } from '../../rules/significance.ts'

export interface ApprovedPayload {
  readonly plan_note_id: string
  readonly approving_maintainer?: string
}

export interface SubmittedPayload {
  readonly title: string
  readonly body: string
  readonly change_significance: Level
  readonly merge_order?: readonly string[]
}

export interface ReviewPayload {
  readonly change_significance?: Level
  readonly reviewed_shas: readonly { readonly repo: string; readonly number: number; readonly sha: string }[]
  readonly findings?: readonly Finding[]
}

export interface Proposal {
  readonly repo: string
  readonly title: string
  readonly body: string
  readonly kind: 'bug' | 'improvement'
}

export interface BrainstormPayload {
  readonly proposals?: readonly Proposal[]
}

export interface IncidentPayload {
  readonly alert_rules: readonly string[]
  readonly issue?: { readonly repo: string; readonly title: string; readonly body: string }
  readonly reason: string
}

export interface RefinePayload {
  readonly folds?: readonly { readonly task: string }[]
  readonly closes?: readonly { readonly repo: string; readonly number: number; readonly reason: string }[]
  readonly links?: readonly { readonly repo: string; readonly number: number; readonly isPR?: boolean }[]
}

/** `reason` of approved, discuss and rejected, `decline_reason` of declined. */
export interface ReasonPayload {
  readonly reason?: string
  readonly decline_reason?: string
}
