/** The git gateway, told by the actors what a pod may fetch and push at this moment. */
import { join } from 'node:path'
import { refuseEndedPod } from '../../edges/agents/caller.ts'
import type { AgentApiDeps } from '../../edges/agents/deps.ts'
import type { ForgeEdge } from '../../edges/forge/forge-edge.ts'
import type { ProjectDirectory } from '../../edges/forge/projects.ts'
import { createGitCache } from '../../edges/git/cache.ts'
import { registerGitGateway, type TaskAccess } from '../../edges/git/gateway.ts'
import type { PushRight } from '../../edges/git/push-rules.ts'
import { createRunGit } from '../../edges/git/run-git.ts'
import type { HttpApp } from '../../edges/http/app.ts'
import type { Clock, Fetch } from '../../edges/http/ports.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

export interface GatewayWiring {
  readonly agents: Pick<AgentApiDeps, 'podTokens' | 'runtime'>
  readonly forge: ForgeEdge
  readonly directory: ProjectDirectory
  readonly stateDir: string
  readonly runtime: Runtime
  readonly clock: Clock
  readonly fetch: Fetch
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
}

export function addGitGateway(app: HttpApp, { agents, forge, directory, stateDir, runtime, clock, fetch, defaultBranch }: GatewayWiring): void {
  const readTask = async (id: string): Promise<TaskContext | undefined> => {
    const view = await runtime.read(`task:${id}`)
    return view === undefined ? undefined : (view.context as unknown as TaskContext)
  }
  registerGitGateway(app, {
    directory,
    cache: createGitCache({ dir: join(stateDir, 'git-cache'), run: createRunGit({ path: process.env['PATH'] ?? '/usr/bin:/bin', clock }) }),
    fetch,
    clock,
    verifyPodToken: async (token) => {
      const claims = await agents.podTokens.verify(token)
      await refuseEndedPod(agents, claims)
      return claims
    },
    taskAccess: async ({ task }) => accessOf(await readTask(task)),
    mayPush: async (id) => pushRight(await readTask(id), forge),
    audit: (push) => forge.auditPush(push),
    defaultBranch,
  })
}

/** A review of a human's merge request pushes nothing; every other pod its Task's branch, or the head it took over. */
function accessOf(task: TaskContext | undefined): TaskAccess | undefined {
  if (task === undefined) return undefined
  const own = `platform/${task.id.slice(task.id.indexOf('/') + 1)}`
  const branchOf = (repository: string): string => task.mergeRequests.find((mr) => mr.repository === repository && mr.state === 'open')?.headBranch ?? own
  const branches = task.kind === 'review' ? {} : Object.fromEntries(task.repositories.map((repository) => [repository, branchOf(repository)]))
  return { repositories: task.repositories, branches }
}

/** Nothing is pushed before the grant; what runs in CI needs a maintainer's word of its own (rulings 4.4). */
async function pushRight(task: TaskContext | undefined, forge: ForgeEdge): Promise<PushRight> {
  if (task === undefined) return { allowed: false, reason: 'the Task has ended' }
  const live = task.issues.filter((issue) => issue.state === 'open')
  const ungranted = task.kind === 'implement' && task.everOwnedIssue && (live.length === 0 || live.some((issue) => issue.grant === null))
  if (ungranted) return { allowed: false, reason: 'the plan is not approved yet: the work stays in the workspace until it is' }
  const said = await Promise.all(live.map(({ repository, number }) => forge.mirror.maintainerSaid(task.config.project, repository, 'issue', number, 'allow-ci-changes')))
  return { allowed: true, protectedPaths: said.includes(true) }
}
