/** What keeps the hands of others out of a maintainer's words, and how each wall goes down: an edit of the product's sources. */
import type { Edit } from '../../plant.ts'

export type Wall = 'kept-words' | 'unknown-hands' | 'refused-edit' | 'newer-than-agents' | 'plan-shown'

export const walls: Readonly<Record<Wall, readonly Edit[]>> = {
  /** What an author withheld outlives other hands. */
  'kept-words': [
    {
      file: 'edges/forge/mirror/facts/words.ts',
      find: /return heldBy\(row\) \?\? standingText\(row\)/,
      replace: 'return { text: row.comment.body, at: row.comment.updatedAt }',
    },
  ],
  /** A text that was only read, or told late, is nobody's before its forge says whose. */
  'unknown-hands': [
    {
      file: 'edges/forge/mirror/facts/hands.ts',
      find: /(function mayBeEdited\([^)]*\): boolean \{\n)/,
      replace: '$1  return false\n',
    },
    {
      file: 'edges/forge/mirror/facts/hands.ts',
      find: /const signed = hint\.action === 'created' \? withBeginning\(row, comment\) : row/,
      replace: 'const signed = row',
    },
    {
      file: 'edges/forge/mirror/facts/hands.ts',
      find: /return edited === true && updatedAt === createdAt/,
      replace: 'return false',
    },
  ],
  /** An agent edits no issue on which a plan is shown or a maintainer wrote. */
  'refused-edit': [
    {
      file: 'edges/agents/routes/issues.ts',
      find: /await refuseEdit\(deps, caller, access, number\)/,
      replace: 'await Promise.resolve()',
    },
  ],
  /** No approval speaks of what an agent wrote after it. */
  'newer-than-agents': [
    {
      file: 'edges/forge/mirror/facts/facts.ts',
      find: /Math\.max\(othersAt, agentEditAt\)/,
      replace: 'othersAt',
    },
  ],
  /** An approval is of the plan's comment as the platform wrote it. */
  'plan-shown': [
    {
      file: 'edges/agents/outcome/claims.ts',
      find: /const isAsked = /,
      replace: 'const isAsked = false && ',
    },
  ],
}
