/** The outcome by which an agent of each kind brings its Task on. */
import type { TaskContext } from '../../task/context.ts'
import { grantsHold, headOf, gatedIssues, openMergeRequests, planHolds } from '../../task/queries.ts'
import { move, type Move } from './move.ts'

interface Said {
  readonly action: string
  readonly does: string
  readonly payload: Readonly<Record<string, unknown>>
}

const submitted = (context: TaskContext): readonly Said[] => {
  if (!grantsHold(context) || !planHolds(context)) return claims(context)
  const order = context.repositories.length > 1 ? { merge_order: [...context.repositories] } : {}
  const level = context.forge.significance ?? 'patch'
  const payload = { title: context.goal, body: '', change_significance: level, ...order }
  return [{ action: 'submitted', does: 'submits its work', payload }]
}

/** Where every live issue has a maintainer's word, and no claim is being judged. */
function claims(context: TaskContext): readonly Said[] {
  const isDue = gatedIssues(context).some(({ grant }) => grant === null || grant.planHash !== context.journal.planHash)
  const isHeard = gatedIssues(context).every(({ accepted, grant }) => accepted || grant !== null)
  if (context.journal.planNoteId === null || context.forge.claims.length > 0 || !isDue || !isHeard) return []
  const payload = { plan_note_id: context.journal.planNoteId, approving_maintainer: 'a-maintainer', reason: 'approved' }
  return [{ action: 'approved', does: 'cites the approval', payload }]
}

function reviewed(context: TaskContext): readonly Said[] {
  const reviewed_shas = openMergeRequests(context).map(({ repository, number, headSha }) => ({
    repo: repository,
    number,
    sha: headSha,
  }))
  return [{ action: 'approve', does: 'approves the change in its review', payload: { reviewed_shas } }]
}

const saidIn: Readonly<Record<string, (context: TaskContext) => readonly Said[]>> = {
  implementing: submitted,
  documenting: submitted,
  upgrading: submitted,
  reviewing: reviewed,
  brainstorming: () => [{ action: 'skip', does: 'submits its proposals, or none', payload: {} }],
  investigating: () => [
    { action: 'false_positive', does: 'reports what the alert was', payload: { alert_rules: [], reason: '' } },
  ],
  refining: () => [{ action: 'refine', does: 'reports which issues belong together', payload: {} }],
}

export function outcomeMoves(context: TaskContext): readonly Move[] {
  const said = saidIn[context.stage.name]?.(context) ?? []
  const pod = context.pod.ordinal
  const outcomeId = `outcome-${pod}-${context.journal.eventSequence}`
  const heads = openMergeRequests(context).map((mr) => ({
    ...headOf(mr),
    draft: false,
    author: mr.author,
    authorMayMerge: true,
  }))
  const kind = context.stage.wants ?? context.kind
  return said.map(({ action, does, payload }) =>
    move('agent', does, {
      type: 'outcome',
      pod,
      outcomeId,
      digest: outcomeId,
      kind,
      action,
      payload,
      claims: [],
      heads,
      workspaceClean: true,
    }),
  )
}
