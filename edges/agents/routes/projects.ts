import { Type } from 'typebox'
import { isReady } from '../../../machines/project/machine.ts'
import { maintainersOf, projectId, reportersOf, type ProjectSettings } from '../../forge/projects.ts'
import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { refuseForeignProject, requireTool } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import type { FastifyRequest } from 'fastify'

const Params = Type.Object({ project: Type.String() })

/** GET /projects/{p} and its repositories: settings that an agent may know, no secret among them. */
export function projectRoutes(app: HttpApp, deps: AgentApiDeps): void {
  async function require(request: FastifyRequest, name: string): Promise<ProjectSettings> {
    const claims = await requireTool(request, deps)
    if (claims !== undefined) refuseForeignProject(claims, name)
    const project = await deps.projects.project(claims?.project ?? name)
    if (project === undefined) throw new Problem('not-found', `there is no Project ${name}`)
    return project
  }

  app.get('/projects/:project', { schema: { params: Params, summary: 'A Project' } }, async (request) => {
    const project = await require(request, request.params.project)
    const { scm, triggerLabel, autoApproveMaxSignificance } = project
    const state = await deps.runtime.read(`project:${projectId(project)}`)
    return {
      name: project.name,
      ready: isReady(state?.path),
      provider: scm.provider,
      owner: scm.owner,
      botLogin: scm.botLogin,
      maintainerLogins: scm.maintainerLogins,
      triggerLabel,
      autoApproveMaxSignificance,
      repositories: project.repositories.map(({ name }) => name),
    }
  })

  app.get(
    '/projects/:project/repositories',
    { schema: { params: Params, summary: 'The repositories of a Project' } },
    async (request) => {
      const project = await require(request, request.params.project)
      const bases = new Map(project.taskConfig.repositories.map(({ name, base }) => [name, base]))
      return {
        items: project.repositories.map((repository) => ({
          name: repository.name,
          url: repository.url,
          defaultBranch: bases.get(repository.name) ?? repository.defaultBranch ?? null,
          maintainerLogins: maintainersOf(project, repository),
          reporterLogins: reportersOf(project, repository),
        })),
      }
    },
  )
}
