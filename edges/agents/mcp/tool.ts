import { Type, type TObject, type TProperties, type TSchema } from 'typebox'
import type { ToolName } from '../../../machines/turn/tools.ts'
import type { Fault } from '../../../http/problems/problem.ts'
import type { Backend } from './backend.ts'
import type { BoundOptions } from './bound.ts'
import type { ToolAnswer } from './tool-answer.ts'

type Input = Readonly<Record<string, unknown>>

/** One tool: what is published, and the call that stands behind it. */
export interface Tool {
  readonly name: ToolName
  readonly title: string
  /** For the model: when to use it, when not, one example. */
  readonly description: string
  readonly input: TObject
  /**
   * What the structured content looks like. Absent where the answer is a text to be quoted from: as a member of JSON it
   * would be escaped once more, and a verbatim quote would be none.
   */
  readonly output?: TSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
  }
  /** What the schema cannot say: which argument goes with which, and which action the profile has. */
  faults?(input: Input, profile: string): readonly Fault[]
  /** Where the answer may be too large: which items stay, and the call that reads on in a long text. */
  bounds?(input: Input): Partial<BoundOptions>
  call(input: Record<string, unknown>, backend: Backend): Promise<ToolAnswer>
}

export const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const
export const writingOnce = { readOnlyHint: false, destructiveHint: false, idempotentHint: true } as const

/** Answers grow by members, and a call may be answered with guidance in place of what it asked for: all are optional. */
export function answers(properties: TProperties): TObject {
  return Type.Object(Type.Partial(Type.Object(properties)).properties)
}

export const listAnswer = answers({ items: Type.Array(Type.Unknown()), nextCursor: Type.String() })

export function oneOf<const T extends readonly string[]>(values: T, description: string): TSchema {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  )
}
