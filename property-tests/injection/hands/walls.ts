/** What keeps the hands of others out of a maintainer's words, and how each wall goes down: an edit of the product's sources. */
import { edit, oneEdit, type Edit } from '../../plant.ts'

export type Wall = 'kept-words' | 'unknown-hands' | 'refused-edit' | 'newer-than-agents' | 'plan-shown'

export const walls: Readonly<Record<Wall, readonly Edit[]>> = {
  /** What an author withheld outlives other hands. */
  'kept-words': oneEdit(
    'edges/forge/mirror/facts/words.ts',
    /return heldBy\(row\) \?\? standingText\(row\)/,
    'return { text: row.comment.body, at: row.comment.updatedAt }',
  ),
  /** A text that was only read, or told late, is nobody's before its forge says whose. */
  'unknown-hands': [
    edit('edges/forge/mirror/facts/hands.ts', /(function mayBeEdited\([^)]*\): boolean \{\n)/, '$1  return false\n'),
    edit(
      'edges/forge/mirror/facts/hands.ts',
      /const signed = hint\.action === 'created' \? withBeginning\(row, comment\) : row/,
      'const signed = row',
    ),
    edit('edges/forge/mirror/facts/hands.ts', /return edited === true && updatedAt === createdAt/, 'return false'),
  ],
  /** An agent edits no issue on which a plan is shown or a maintainer wrote. */
  'refused-edit': oneEdit(
    'edges/agents/routes/issues.ts',
    /await refuseEdit\(deps, caller, access, number\)/,
    'await Promise.resolve()',
  ),
  /** No approval speaks of what an agent wrote after it. */
  'newer-than-agents': oneEdit('edges/forge/mirror/facts/facts.ts', /Math\.max\(othersAt, agentEditAt\)/, 'othersAt'),
  /** An approval is of the plan's comment as the platform wrote it. */
  'plan-shown': oneEdit('edges/agents/outcome/claims.ts', /const isAsked = /, 'const isAsked = false && '),
}
