/** POST /internal/transcript: what the agent of a pod said and did, in lines for people, as its wrapper hands it over at its stop. */
import { Type, type Static } from 'typebox'

/** Of all lines together. The oldest go first. */
export const mostTranscriptBytes = 256 * 1024
/** A line costs that much besides its text, so that empty ones have an end too. */
export const transcriptLineBytes = 16

export const Transcript = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 512 }),
    pod: Type.Integer({ minimum: 1 }),
    truncated: Type.Boolean({ description: 'Older lines are left out.' }),
    lines: Type.Array(Type.String({ maxLength: 8192 }), { maxItems: mostTranscriptBytes / transcriptLineBytes }),
  },
  { additionalProperties: false },
)
export type Transcript = Static<typeof Transcript>
