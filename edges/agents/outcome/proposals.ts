/** What a `propose` meets: how many proposals still fit, and what is filed already (OUTCOME-RULE-7, PROJECT-CRON-7). */
import { namespaceOf, type IssueContext } from '../../../machines/issue/context.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { ProposalRoom } from '../../../machines/task/events.ts'
import { hasTopicOf } from '../../forge/marker.ts'
import type { KindSettings } from '../../forge/projects.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { MirroredIssue } from '../../ports/threads.ts'
import type { AgentApiDeps } from '../deps.ts'

/** Of each repository, newest change first: older ones are no news to anybody. */
const looksAt = 500

export interface Proposals {
  readonly settings: KindSettings
  /** Newest change first, people's own among them. */
  readonly issues: readonly MirroredIssue[]
  readonly isProposal: (issue: MirroredIssue) => boolean
  readonly isOpenProposal: (issue: MirroredIssue) => boolean
}

type Deps = Pick<AgentApiDeps, 'projects' | 'threads'> & { readonly runtime: Pick<AgentApiDeps['runtime'], 'read'> }

export async function proposalsOf(
  deps: Deps,
  task: { readonly config: Pick<TaskContext['config'], 'project'> },
): Promise<Proposals> {
  const project = await deps.projects.project(task.config.project)
  if (project === undefined) throw new Problem('not-found', `there is no Project ${task.config.project}`)
  const all = await Promise.all(
    project.repositories.map(({ name }) =>
      deps.threads.issues(task.config.project, name, { state: 'all', limit: looksAt }),
    ),
  )
  const issues = all.flatMap(({ items }) => items).toSorted((a, b) => b.updatedAt - a.updatedAt)
  const { botLogin } = project.scm
  /** Filed by a brainstorm: the bot's own words, which nobody else can write under its name. */
  const isProposal = ({ author, body }: MirroredIssue): boolean =>
    sameLogin(author, botLogin) && hasTopicOf(body, 'proposal')
  const open = await withoutRejected(
    deps,
    task.config.project,
    issues.filter((issue) => isProposal(issue) && issue.state === 'open'),
  )
  return {
    settings: project.kinds,
    issues,
    isProposal,
    isOpenProposal: (issue) => open.has(issue),
  }
}

/**
 * One that was declined holds no place, though the forge keeps it open (OUTCOME-RULE-8). Its Issue knows that; a label is
 * anybody's to put on (LABELS-2).
 */
async function withoutRejected(
  { runtime }: Deps,
  projectId: string,
  issues: readonly MirroredIssue[],
): Promise<ReadonlySet<MirroredIssue>> {
  const namespace = namespaceOf(projectId)
  const isRejected = async ({ repository, number }: MirroredIssue): Promise<boolean> => {
    const issue: Partial<IssueContext> =
      (await runtime.read(`issue:${namespace}/${repository}-${number}`))?.context ?? {}
    return (issue.rejected ?? '') !== ''
  }
  const rejected = await Promise.all(issues.map(isRejected))
  return new Set(issues.filter((_issue, index) => !rejected[index]))
}

export async function proposalRoom(deps: Deps, task: TaskContext): Promise<ProposalRoom> {
  const { settings, issues, isProposal, isOpenProposal } = await proposalsOf(deps, task)
  const filed = issues
    .filter((one) => one.state === 'open' || isProposal(one))
    .map(({ title, repository, number }) => ({ title, repository, number }))
  return { left: Math.max(0, settings.targetOpenProposals - issues.filter(isOpenProposal).length), filed }
}
