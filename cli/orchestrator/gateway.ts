/** The git gateway, told by the actors what a pod may fetch and push at this moment. */
import { join } from 'node:path'
import { refuseEndedPod } from '../../edges/agents/caller.ts'
import type { AgentApiDeps } from '../../edges/agents/deps.ts'
import type { ForgeEdge } from '../../edges/forge/forge-edge.ts'
import type { ProjectDirectory } from '../../edges/forge/projects.ts'
import { createGitCache } from '../../edges/git/cache.ts'
import { registerGitGateway } from '../../edges/git/gateway.ts'
import { createRunGit } from '../../edges/git/run-git.ts'
import { createTaskRights } from '../../edges/git/task-rights.ts'
import type { HttpApp } from '../../http/app.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'

export interface GatewayWiring {
  readonly agents: Pick<AgentApiDeps, 'podTokens' | 'runtime'>
  readonly forge: ForgeEdge
  readonly directory: ProjectDirectory
  readonly stateDir: string
  readonly runtime: Runtime
  readonly clock: Clock
  readonly fetch: Fetch
  readonly grantHolds: (issue: string) => Promise<boolean>
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
}

export function addGitGateway(app: HttpApp, wiring: GatewayWiring): void {
  const { agents, forge, directory, stateDir, runtime, clock, fetch, grantHolds, defaultBranch } = wiring
  const { taskAccess, mayPush } = createTaskRights({
    runtime,
    grantHolds,
    ciChangesAllowedAt: (project, repository, on, number) =>
      forge.mirror.maintainerSaidAt(project, repository, on, number, 'allow-ci-changes'),
  })
  registerGitGateway(app, {
    directory,
    cache: createGitCache({
      dir: join(stateDir, 'git-cache'),
      run: createRunGit({ path: process.env['PATH'] ?? '/usr/bin:/bin', clock }),
    }),
    fetch,
    clock,
    verifyPodToken: async (token) => {
      const claims = await agents.podTokens.verify(token)
      await refuseEndedPod(agents, claims)
      return claims
    },
    taskAccess,
    mayPush,
    audit: (push) => forge.auditPush(push),
    defaultBranch,
  })
}
