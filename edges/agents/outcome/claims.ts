/** What an `approved` outcome claims, per live issue, with the conjuncts of APPROVAL-2 that the mirror can judge. The Issue itself has the last word. */
import { refusedConjunct, type CitationChecks } from '../../../machines/rules/citation.ts'
import { judgeComment } from '../../../machines/rules/approval-grammar.ts'
import { sameLogin, isListed } from '../../../machines/rules/logins.ts'
import { matchQuote } from '../../../machines/rules/quote.ts'
import { gatedIssues, isMergedIn } from '../../../machines/task/queries.ts'
import type { ApprovalClaim } from '../../../machines/task/events.ts'
import type { TaskContext, TaskIssue } from '../../../machines/task/context.ts'
import { maintainersOf, repositoryNamed, type ProjectSettings } from '../../forge/projects.ts'
import type { MirroredComment } from '../../ports/threads.ts'
import type { AgentApiDeps } from '../deps.ts'
import { planRefusal } from './plan-shown.ts'
import type { ImplementOutcome } from './schemas.ts'

export async function buildClaims(
  deps: Pick<AgentApiDeps, 'projects' | 'threads' | 'openForge' | 'sql'>,
  task: TaskContext,
  payload: ImplementOutcome,
): Promise<readonly ApprovalClaim[]> {
  const project = await deps.projects.project(task.config.project)
  const live = gatedIssues(task)
  const threads = await Promise.all(
    live.map((issue) => deps.threads.comments(task.config.project, issue.repository, issue.number, 'issue')),
  )
  const claims: ApprovalClaim[] = []
  for (const [index, issue] of live.entries()) {
    const comments = threads[index] ?? []
    const claim = claimFor(task, payload, { project, issue, comments, liveIssues: live.length })
    const cited = comments.find(({ id }) => id === claim.citation?.commentId)
    // Nothing is planned where the change is merged, and no comment shows what is planned since (APPROVAL-16).
    const isAsked = cited !== undefined && claim.refusedBy === undefined && !isMergedIn(task, issue.repository)
    const refusedBy =
      isAsked && (project ? await planRefusal(deps, project, task, issue, cited.createdAt) : 'plan-shown')
    claims.push(refusedBy ? { ...claim, refusedBy } : claim)
  }
  return claims
}

interface CitedIssue {
  readonly project: ProjectSettings | undefined
  readonly issue: TaskIssue
  readonly comments: readonly MirroredComment[]
  readonly liveIssues: number
}

function claimFor(
  task: TaskContext,
  payload: ImplementOutcome,
  { project, issue, comments, liveIssues }: CitedIssue,
): ApprovalClaim {
  const citations = payload.approval_citations ?? []
  const planNewest = payload.plan_note_id === task.journal.planNoteId
  if (citations.length === 0)
    return planNewest ? { issue: issue.issue } : { issue: issue.issue, refusedBy: 'plan-newest' }

  const maintainer = payload.approving_maintainer ?? ''
  const cited = citations.find(({ id }) => comments.some((comment) => comment.id === id))
  const comment = comments.find(({ id }) => id === cited?.id)
  const span = comment === undefined || cited === undefined ? undefined : matchQuote(comment.body, cited.quote)
  const isByMaintainer = comment !== undefined && !comment.bot && isMaintainer(project, issue, comment.author)
  const checks: CitationChecks = {
    'comment-exists': comment !== undefined,
    'author-matches': comment !== undefined && sameLogin(comment.author, maintainer),
    'author-is-maintainer': isByMaintainer,
    'quote-matches': span !== undefined,
    // Anybody may write what is dear to read, and an agent may cite it: the words of others are not judged.
    'comment-approves': !isByMaintainer || judgeComment(comment.body) === 'approves',
    'one-per-issue': citations.length === liveIssues,
    'plan-newest': planNewest,
  }
  const refusedBy = refusedConjunct(checks)
  return {
    issue: issue.issue,
    approvingMaintainer: maintainer,
    ...(comment === undefined || cited === undefined
      ? {}
      : {
          citation: {
            commentId: comment.id,
            author: comment.author,
            quote: cited.quote,
            span: span ?? '',
            bodyHash: comment.bodyHash,
          },
        }),
    ...(refusedBy === undefined ? {} : { refusedBy }),
  }
}

function isMaintainer(project: ProjectSettings | undefined, issue: TaskIssue, login: string): boolean {
  if (project === undefined) return false
  const repository = repositoryNamed(project, issue.repository)
  return repository !== undefined && isListed(login, maintainersOf(project, repository))
}
