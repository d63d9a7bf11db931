import type { ActorAddress } from '../../../machines/definition.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { EffectContext } from '../../../runtime/runtime.ts'
import type { MergeJudge } from '../../ports/merge-judge.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { TaskThreads } from '../task-threads.ts'
import type { Fence, ForgePort, OpenForge } from '../port.ts'
import {
  forgePath,
  repositoryNamed,
  type AppliedProjects,
  type ProjectDirectory,
  type ProjectSettings,
  type RepositorySettings,
} from '../projects.ts'

export interface OutboundDeps {
  readonly directory: ProjectDirectory & AppliedProjects
  readonly openForge: OpenForge
  readonly mirror: Mirror
  readonly clock: Clock
  /** Whether the Issue's own row still holds a grant; `issue` is its actor id or address (LAW-18). */
  readonly grantHolds: (issue: string) => Promise<boolean>
  /** What a merge makes of its base. */
  readonly mergeJudge: MergeJudge
  /** Whether a maintainer's `/allow-ci-changes` stands for the newest plan of this Task. */
  readonly ciChangesAllowed: (task: ActorAddress, repository: string) => Promise<boolean>
  /** The threads of the Task that asks; `actor` is its address. */
  readonly threadsOf: TaskThreads
  /** Where forges send this Project's deliveries; undefined while the platform has no address they can reach. */
  readonly webhookUrl: (project: ProjectSettings) => string | undefined
  /** Whether any head of the repository ever had a check, as far as the mirror knows. */
  readonly hasChecks: (project: string, repository: string) => Promise<boolean>
}

/** One repository of one Project and the port to it, which writes as long as the fence lets it. */
export interface Target {
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  readonly path: string
  readonly forge: ForgePort
}

/** Another process may perform the effect by now: it looks whether this one wrote, and finds nothing that comes later (R5). */
export function fenceOf(context: Pick<EffectContext, 'assertHeld'>): Fence {
  return () => context.assertHeld()
}

export async function targetOf(
  deps: { readonly directory: ProjectDirectory; readonly openForge: OpenForge },
  subject: { readonly project: string; readonly repository: string },
  fence?: Fence,
): Promise<Target> {
  const name = subject.project
  const project = await deps.directory.project(name)
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${name}`)
  const repository = repositoryNamed(project, subject.repository)
  if (repository === undefined)
    throw new TerminalError('unknown-repository', `there is no Repository ${subject.repository} in ${name}`)
  return { project, repository, path: forgePath(repository, project.scm), forge: await deps.openForge(name, fence) }
}
