/**
 * What a tier says of a confidence: read off the source is certain, a guess is one of five grades (never a coin's .5),
 * and what could be several is low. Edges that break this are kept, counted and shown to who pushes them; `strict`
 * refuses them.
 */
import type { Tier } from '../graph/model.ts'

const inferredGrades: readonly number[] = [0.95, 0.85, 0.75, 0.65, 0.55]
const ambiguousRange = { least: 0.1, most: 0.3 }

/** Why the two do not go together. */
export function rubricFault(tier: Tier, confidence: number): string | undefined {
  switch (tier) {
    case 'EXTRACTED':
      return confidence === 1 ? undefined : 'EXTRACTED has the confidence 1'
    case 'INFERRED':
      return inferredGrades.includes(confidence)
        ? undefined
        : `INFERRED has one of the confidences ${inferredGrades.join(', ')}`
    case 'AMBIGUOUS':
      return confidence >= ambiguousRange.least && confidence <= ambiguousRange.most
        ? undefined
        : `AMBIGUOUS has a confidence from ${ambiguousRange.least} to ${ambiguousRange.most}`
  }
}
