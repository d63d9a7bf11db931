/** A step of taking what the Repositories of a Project hold into its memory (KNOWLEDGE-16). */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { EffectParams } from '../../machines/effect.ts'
import type { Indexed } from '../../machines/memory/events.ts'
import { messageOf, TerminalError } from '../../runtime/errors.ts'
import type { EffectHandler } from '../../runtime/runtime.ts'
import type { ProjectDirectory } from '../forge/projects.ts'
import type { MemoryIntake, MemorySource } from '../ports/memory-intake.ts'

interface FillMemoryDeps {
  readonly directory: Pick<ProjectDirectory, 'project'>
  readonly clock: Clock
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
/** The work of a Project has a service of its own, and a process of low priority here. */
const projectsAtOnce = 4
/** No Repository is begun after that: with one that takes its longest, the step ends within its actor's hour. */
const beginsForMs = 25 * 60_000

export function fillMemory(deps: FillMemoryDeps): EffectHandler<EffectParams<'fillMemory'>> {
  return {
    // Behind the normal work. A Project that takes long holds up no other, and never has two steps under way.
    concurrency: projectsAtOnce,
    target: { name: 'memory', of: ({ project }) => project, concurrency: 1 },
    async perform({ project: id, run }, { actor, key, at, signal }) {
      const project = await deps.directory.project(id)
      if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
      const reason = await deps.heldBy(id)
      if (reason !== '') return [{ to: actor, key: `${key}/held`, event: { type: 'memory.held', at, run, reason } }]
      const known = await deps.known(id)
      const repositories: Record<string, Indexed> = {}
      const begun = deps.clock.now()
      for (const { name } of rotated(project.repositories, run)) {
        const before = known[name] ?? nothing
        const isLate = deps.clock.now() - begun > beginsForMs
        repositories[name] = isLate
          ? unread(before)
          : await step(deps, { project: id, repository: name, signal }, before)
      }
      return [{ to: actor, key: `${key}/filled`, event: { type: 'memory.filled', at, run, repositories } }]
    },
  }
}

/** Another one is first in each step, so that none is always left over. */
function rotated<One>(all: readonly One[], run: string): readonly One[] {
  const first = Number(run.split('/').at(-1)) % Math.max(1, all.length)
  return [...all.slice(first), ...all.slice(0, first)]
}

/** Something may be due: the next step follows at once. */
function unread(before: Indexed): Indexed {
  return { ...before, due: Math.max(1, before.due) }
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
