import type { TSchema } from 'typebox'
import type { ToolName } from '../../edges/agents/profiles.ts'
import type { Backend } from './backend.ts'

/** What a call answers: text for the model, and the same as data where there is data. */
export interface ToolAnswer {
  readonly text: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Which service must be configured for the tool to be there at all. */
export type NeededBackend = 'none' | 'operator' | 'memory'

/** One tool: what is published, and the call that stands behind it. */
export interface Tool {
  readonly name: ToolName
  readonly title: string
  /** For the model: when to use it, when not, one example. */
  readonly description: string
  readonly input: TSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
  }
  readonly needs: NeededBackend
  call(input: Record<string, unknown>, backend: Backend): Promise<ToolAnswer>
}

export const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const
export const writingOnce = { readOnlyHint: false, destructiveHint: false, idempotentHint: true } as const
