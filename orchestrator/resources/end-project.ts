/**
 * The end of a Project and its return (ADMISSION-8): what lives is closed, what waits is dropped, and each issue learns
 * whether there is a Project to work for. Told level-triggered, so that a deletion or an apply that ended in between is
 * made whole by the next.
 */
import { liveActors } from '../../edges/schedule/live-actors.ts'
import type { Resource } from '../../edges/ports/resources.ts'
import type { IssueContext } from '../../machines/issue/context.ts'
import type { Clock } from '../../runtime/clock.ts'
import { deliverToMemory } from '../memory/memory-actor.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface EndProjectDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'list' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

/** `resource`: the Project. Its issues hear it before their Tasks end: they tell such an end from a cancelled Task. */
export async function endProject(deps: EndProjectDeps, { namespace, name, uid }: Resource): Promise<void> {
  const { runtime, clock } = deps
  const project = `${namespace}/${name}`
  const key = `deleted/${uid}`
  const at = clock.now()
  await runtime.deliver({ to: `project:${project}`, key, event: { type: 'project.deleted', at } })
  await deliverToMemory(runtime, project, { key, event: { type: 'memory.configured', at, fills: false } })
  const stack = `memory-stack:${project}` as const
  const { seq, context } = (await runtime.read(stack)) ?? {}
  // By its step: a start that read the Project right before its end may have wanted it once more.
  if (context !== undefined && context.wanted !== null)
    await runtime.deliver({ to: stack, key: `${key}/${seq}`, event: { type: 'stack.configured', at, wanted: null } })
  const tasks: string[] = []
  for await (const task of liveActors(runtime, 'task', project))
    if (task.config.project === project) tasks.push(task.id)
  const owners = new Set(tasks)
  for await (const issue of liveActors(runtime, 'issue', project))
    if (isTouched(issue, project, owners))
      await runtime.deliver({ to: `issue:${issue.id}`, key, event: { type: 'issue.projectDeleted', at } })
  const close = { type: 'task.close', at, by: 'the platform', reason: 'the Project was deleted' }
  for (const task of tasks) await runtime.deliver({ to: `task:${task}`, key, event: close })
}

function isTouched({ facts, owner, mint }: IssueContext, project: string, owners: ReadonlySet<string>): boolean {
  return owners.has(owner) || (facts?.config.project === project && (owner !== '' || mint !== null))
}

/** Issues that a deletion of the Project left behind begin anew. */
export async function resumeIssues({ runtime, clock }: EndProjectDeps, project: string): Promise<void> {
  const at = clock.now()
  for await (const issue of liveActors(runtime, 'issue', project))
    if (issue.projectGone === 'deleted' && issue.facts?.config.project === project)
      await runtime.deliver({
        to: `issue:${issue.id}`,
        key: `resumed/${project}/${at}`,
        event: { type: 'issue.projectApplied', at },
      })
}
