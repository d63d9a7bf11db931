/** What the Task's own actor says about its pods' rights, read at every request. */
import type { ActorAddress } from '../../machines/definition.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import {
  branchIn,
  gatedIssues,
  grantsHold,
  liveIssues,
  openMergeRequests,
  planHolds,
} from '../../machines/task/queries.ts'
import { isTaskBranch } from '../../machines/rules/names.ts'
import { planSeenAt } from '../../machines/rules/plan-seen.ts'
import { addressOf } from '../../runtime/address.ts'
import { isOfKind } from '../../runtime/of-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GitGatewayDeps, TaskAccess } from './gateway.ts'

interface TaskRightsDeps {
  readonly runtime: Pick<Runtime, 'read'>
  /** The Issue's own word, by its actor id. */
  readonly grantHolds: (issue: string) => Promise<boolean>
  /** When maintainers wrote each `/allow-ci-changes` that stands in this thread. */
  readonly ciChangesAllowedAt: (
    project: string,
    repository: string,
    on: 'issue' | 'mr',
    number: number,
  ) => Promise<readonly number[]>
}

export interface TaskRights extends Pick<GitGatewayDeps, 'taskAccess' | 'mayPush'> {
  /** Whether a maintainer opened the protected paths for the newest plan of this Task, given its address (GIT-4). */
  ciChangesAllowed(task: ActorAddress, repository: string): Promise<boolean>
}

export function createTaskRights(deps: TaskRightsDeps): TaskRights {
  async function contextAt(task: ActorAddress): Promise<TaskContext | undefined> {
    const view = await deps.runtime.read(task)
    return view?.status === 'active' && isOfKind(view, 'task') ? view.context : undefined
  }
  const contextOf = (task: string): Promise<TaskContext | undefined> => contextAt(addressOf('task', task))
  return {
    async ciChangesAllowed(task, repository) {
      const context = await contextAt(task)
      return context !== undefined && ciAllowed(deps, context, repository)
    },
    async taskAccess({ task, pod }) {
      const context = await contextOf(task)
      // A token outlives its pod by its margin; the incarnation is checked here (POD-TOKEN-3).
      if (context === undefined || !context.pod.alive || context.pod.ordinal !== pod) return undefined
      return { repositories: context.repositories, branches: branchesOf(context) }
    },
    async mayPush(task, repository) {
      const context = await contextOf(task)
      if (context === undefined || context.stage.class === 'terminal')
        return { allowed: false, reason: 'the Task has ended' }
      const refused = await missingGrant(deps, context)
      if (refused !== undefined) return { allowed: false, reason: refused }
      return { allowed: true, protectedPaths: await ciAllowed(deps, context, repository) }
    },
  }
}

/** Kinds whose work is a change of code; the others have nothing to push. */
const pushing: ReadonlySet<TaskContext['kind']> = new Set(['implement', 'documentation', 'upgrade'])

/** People's own are theirs until a takeover says otherwise. */
function branchesOf(context: TaskContext): TaskAccess['branches'] {
  if (!pushing.has(context.kind)) return {}
  const branches = context.repositories.map((repository) => [repository, branchIn(context, repository)] as const)
  return Object.fromEntries(branches.filter(([, branch]) => isTaskBranch(branch) || isHandedOver(context, branch)))
}

/** Its author or a maintainer gave the branch to this very Task (GIT-6). */
function isHandedOver(context: TaskContext, branch: string): boolean {
  return openMergeRequests(context).some(({ headBranch, writable }) => writable === true && headBranch === branch)
}

/** Both the Task's copy and the Issues' rows have to hold: the copy may be late (GIT-3, LAW-18). */
async function missingGrant({ grantHolds }: TaskRightsDeps, context: TaskContext): Promise<string | undefined> {
  if (!grantsHold(context))
    return 'no push before a maintainer approves the plan: the work stays in the workspace until then'
  if (!planHolds(context))
    return 'the newest plan is not the approved one: ask a maintainer to approve it; the work stays in the workspace until then'
  for (const { issue } of context.forge.everOwnedIssue ? gatedIssues(context) : []) {
    if (!(await grantHolds(issue)))
      return `the approval of ${issue} is void: the work stays in the workspace until a maintainer approves again`
  }
  return undefined
}

/** It is said of the plan that stood a second before, and ends with it: a newer one closes the paths again. */
function isOfNewestPlan({ journal: { notes } }: TaskContext, commandedAt: number): boolean {
  const plans = notes.filter(({ kind }) => kind === 'plan')
  return planSeenAt(plans, commandedAt - 1000) === plans.at(-1)
}

async function ciAllowed(
  { ciChangesAllowedAt }: TaskRightsDeps,
  context: TaskContext,
  repository: string,
): Promise<boolean> {
  const threads = [
    ...liveIssues(context).map((issue) => ({ ...issue, on: 'issue' as const })),
    ...context.forge.mergeRequests.map((mr) => ({ ...mr, on: 'mr' as const })),
  ].filter((thread) => thread.repository === repository)
  for (const { on, number } of threads) {
    const allowedAt = await ciChangesAllowedAt(context.config.project, repository, on, number)
    if (allowedAt.some((at) => isOfNewestPlan(context, at))) return true
  }
  return false
}
