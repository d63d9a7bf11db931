/** The git gateway, told by the actors what a pod may fetch and push at this moment. */
import { join } from 'node:path'
import { requireLivingPod } from '../../edges/agents/caller.ts'
import type { AgentApiDeps, ProjectLife } from '../../edges/agents/deps.ts'
import type { ForgeEdge } from '../../edges/forge/forge-edge.ts'
import type { Mirror } from '../../edges/forge/mirror/mirror.ts'
import type { ProjectDirectory } from '../../edges/forge/projects.ts'
import { createGitCache, type GitCache } from '../../edges/git/store/cache.ts'
import type { ForgeIdOf } from '../../edges/git/store/enrolled.ts'
import { registerGitGateway } from '../../edges/git/gateway.ts'
import { createRunGit, type RunGit } from '../../edges/git/store/run-git.ts'
import { createTaskRights, type TaskRights } from '../../edges/git/task-rights.ts'
import type { Projects } from '../../edges/forge/project-directory.ts'
import type { HttpApp } from '../../http/app.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface GatewayWiring {
  readonly agents: Pick<AgentApiDeps, 'podTokens' | 'runtime' | 'lifeOf'>
  readonly forge: ForgeEdge
  readonly directory: ProjectDirectory
  readonly cache: GitCache
  readonly rights: TaskRights
  readonly clock: Clock
  readonly fetch: Fetch
  readonly mostPackBytes: number
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
}

/** One for gateway and merge: of two in one folder each would fetch under the other's hands. */
export function openGitCache(
  { stateDir, git }: Pick<OrchestratorSettings, 'stateDir' | 'git'>,
  clock: Clock,
): GitCache {
  return createGitCache({ dir: join(stateDir, 'git-cache'), run: ownGit(git, clock) })
}

/** With a clean configuration, and nobody's credentials. */
export function ownGit({ longestRunMs }: Pick<OrchestratorSettings['git'], 'longestRunMs'>, clock: Clock): RunGit {
  return createRunGit({ path: process.env['PATH'] ?? '/usr/bin:/bin', clock, longestMs: longestRunMs })
}

export function taskRights(
  runtime: Runtime,
  mirror: Mirror,
  grantHolds: (issue: string) => Promise<boolean>,
): TaskRights {
  return createTaskRights({
    runtime,
    grantHolds,
    ciChangesAllowedAt: (project, repository, on, number) =>
      mirror.maintainerCommandTimes(project, repository, on, number, 'allow-ci-changes'),
  })
}

/** By the actor id. */
export async function lifeIn(directory: Projects, project: string): Promise<ProjectLife | undefined> {
  const resource = (await directory.spec(project))?.resource
  return resource && { uid: resource.uid, since: resource.createdAt }
}

/** The forge is asked where nobody knows. */
export function forgeIdsOf(mirror: Mirror): ForgeIdOf {
  return async (project, repository) => (await mirror.repositoryKey(project, repository)).forgeId
}

export function addGitGateway(app: HttpApp, wiring: GatewayWiring): void {
  const { agents, forge, directory, cache, rights, clock, fetch, mostPackBytes, defaultBranch } = wiring
  registerGitGateway(app, {
    directory,
    cache,
    fetch,
    clock,
    verifyPodToken: async (token) => {
      const claims = await agents.podTokens.verify(token)
      await requireLivingPod(agents, claims)
      return claims
    },
    taskAccess: rights.taskAccess,
    mayPush: rights.mayPush,
    audit: (push) => forge.auditPush(push),
    forgeIdOf: forgeIdsOf(forge.mirror),
    mostPackBytes,
    defaultBranch,
  })
}
