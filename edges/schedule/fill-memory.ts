/** A step of taking what the Repositories of a Project hold into its memory (KNOWLEDGE-16). */
import type { Logger } from '../../runtime/logger.ts'
import type { EffectParams } from '../../machines/effect.ts'
import type { Indexed } from '../../machines/memory/events.ts'
import { messageOf, TerminalError } from '../../runtime/errors.ts'
import type { EffectHandler } from '../../runtime/runtime.ts'
import type { ProjectDirectory } from '../forge/projects.ts'
import type { MemoryIntake, MemorySource } from '../ports/memory-intake.ts'

interface FillMemoryDeps {
  readonly directory: Pick<ProjectDirectory, 'project'>
  readonly logger: Logger
  /** How far the Repositories of the Project were taken in before. */
  readonly known: (project: string) => Promise<Readonly<Record<string, Indexed>>>
  /** Why nothing is done for the Project now; empty: something is. */
  readonly heldBy: (project: string) => Promise<string>
  readonly sourceOf: (project: string, repository: string) => Promise<Omit<MemorySource, 'known'>>
  readonly intake: MemoryIntake
}

const nothing: Indexed = { commit: '', due: 0, trouble: '' }
const longestTrouble = 300

export function fillMemory(deps: FillMemoryDeps): EffectHandler<EffectParams<'fillMemory'>> {
  return {
    // Behind the normal work: one step at a time, whatever the number of Projects.
    concurrency: 1,
    async perform({ project: id, run }, { actor, key, at, signal }) {
      const project = await deps.directory.project(id)
      if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
      const reason = await deps.heldBy(id)
      if (reason !== '') return [{ to: actor, key: `${key}/held`, event: { type: 'memory.held', at, run, reason } }]
      const known = await deps.known(id)
      const repositories: Record<string, Indexed> = {}
      for (const { name } of project.repositories)
        repositories[name] = await step(deps, { project: id, repository: name, signal }, known[name] ?? nothing)
      return [{ to: actor, key: `${key}/filled`, event: { type: 'memory.filled', at, run, repositories } }]
    },
  }
}

interface Step {
  readonly project: string
  readonly repository: string
  readonly signal: AbortSignal
}

async function step(
  { intake, sourceOf, logger }: FillMemoryDeps,
  { project, repository, signal }: Step,
  known: Indexed,
): Promise<Indexed> {
  try {
    return await intake({ ...(await sourceOf(project, repository)), known: known.commit }, signal)
  } catch (error) {
    // Whoever stops this process is no trouble of the Repository: the step is asked for again.
    signal.throwIfAborted()
    const trouble = messageOf(error).slice(0, longestTrouble)
    logger.warn({ project, repository, error: trouble }, 'the orchestrator could not fill the memory of a Repository')
    return { ...known, trouble }
  }
}
