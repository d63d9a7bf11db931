/** The ceiling as the Project has it now: a lowered one applies to Tasks that live (PROJECT-18). */
import type { Ceiling } from '../../../machines/rules/significance.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { AgentApiDeps } from '../deps.ts'

/** Of a Project that is gone, as the Task was minted with it. */
export async function ceilingNow(
  { projects }: Pick<AgentApiDeps, 'projects'>,
  { config }: TaskContext,
): Promise<Ceiling> {
  const project = await projects.project(config.project)
  return project?.autoApproveMaxSignificance ?? config.autoApproveMaxSignificance
}
