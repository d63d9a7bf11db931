/** The live heads of a Task's open merge requests, read from the forge within the call: a verdict is compared with these. */
import { mayMerge } from '../../../machines/rules/may-merge.ts'
import type { LiveHead } from '../../../machines/task/events.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import { forgePath, maintainersOf, repositoryNamed } from '../../forge/projects.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { AgentApiDeps } from '../deps.ts'

/** People look for the rest on the forge. */
const mostListed = 20

export async function readHeads(
  deps: Pick<AgentApiDeps, 'projects' | 'openForge' | 'readBack' | 'foreignCommits'>,
  task: TaskContext,
  verdict: string,
): Promise<readonly LiveHead[]> {
  const name = task.config.project
  const project = await deps.projects.project(name)
  if (project === undefined) throw new Problem('not-found', `there is no Project ${name}`)
  const forge = await deps.openForge(name)
  const open = task.forge.mergeRequests.filter((mr) => mr.state === 'open')
  return Promise.all(
    open.map(async ({ repository: repositoryName, number }): Promise<LiveHead> => {
      const repository = repositoryNamed(project, repositoryName)
      if (repository === undefined) throw new Problem('not-found', `there is no Repository ${repositoryName}`)
      const live = await forge.mergeRequest(forgePath(repository, project.scm), number)
      // The mirror keeps what the Task learns here: it tells only what differs from its own rows, so also the way back.
      const mr = await deps.readBack(name, repositoryName, live)
      const policy = {
        botLogin: project.scm.botLogin,
        maintainerLogins: maintainersOf(project, repository),
        adoptBranchPrefix: project.kinds.adoptBranchPrefix,
        upgradeEngineLogins: project.upgradeEngineLogins,
      }
      const authorMayMerge = mayMerge({ author: mr.author.login, headBranch: mr.headBranch }, policy)
      return {
        repository: repositoryName,
        number,
        sha: mr.headSha,
        base: mr.baseBranch,
        draft: mr.draft,
        author: mr.author.login,
        authorMayMerge,
        // Nothing merges by another verdict.
        ...(verdict === 'approve'
          ? { foreign: (await deps.foreignCommits(project, repository, mr)).slice(0, mostListed) }
          : {}),
      }
    }),
  )
}
