import { answerError } from '../../http/problems/answer-problem.ts'
import type { HttpApp } from '../../http/app.ts'
import { protect } from '../../http/auth/authenticate.ts'
import { authenticateAgent } from './caller.ts'
import type { AgentApiDeps } from './deps.ts'
import { problemOf } from './forge-problem.ts'
import { toolOfRoute } from './profiles.ts'
import { issueRoutes } from './routes/issues.ts'
import { mergeRequestRoutes } from './routes/merge-requests.ts'
import { noteRoutes } from './routes/notes.ts'
import { outcomeRoute } from './routes/outcome.ts'
import { projectRoutes } from './routes/projects.ts'
import { scmRoute } from './routes/scm.ts'
import { takeoverRoute } from './routes/takeovers.ts'
import { taskRoutes } from './routes/tasks.ts'

/** The REST side of the tools, in a scope of its own: every route needs a pod's token or an OIDC bearer, and a line in the table of tools. */
export async function registerAgentApi(app: HttpApp, deps: AgentApiDeps): Promise<void> {
  await app.register(async (scope) => {
    protect(scope, authenticateAgent(deps))
    scope.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) toolOfRoute(one, url)
    })
    scope.setErrorHandler((error, request, reply) => answerError(problemOf(error), request, reply))
    for (const route of [
      taskRoutes,
      noteRoutes,
      outcomeRoute,
      projectRoutes,
      scmRoute,
      issueRoutes,
      mergeRequestRoutes,
      takeoverRoute,
    ])
      route(scope, deps)
  })
}
