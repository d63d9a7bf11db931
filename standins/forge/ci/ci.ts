import { allRuns, createCheckRun, updateCheckRun } from '../store/checks.ts'
import type { CheckRun, Repository, User } from '../store/records.ts'
import type { World } from '../store/world.ts'
import { ciCommand } from './command.ts'
import { executeCi } from './execute.ts'

export const CI_APP = 'local-ci'

export interface Ci {
  /** Queues again what an earlier start of this forge has queued or begun and not ended. */
  resume(): Promise<void>
  idle(): Promise<void>
  close(): Promise<void>
}

/**
 * The repository's own tests as its CI: every tip of a branch is queued before the push is answered, and runs one at a
 * time. A sha that has had its run isn't run again, whatever branch it turns up on.
 */
export function startCi(world: World, bot: User, log: (error: unknown) => void): Ci {
  const stop = new AbortController()
  const left = [...world.repositories.values()].flatMap((repository) =>
    unfinished(repository).map((run) => ({ repository, run })),
  )
  let tail = Promise.resolve()

  async function tipMoved(repository: Repository, branch: string, sha: string): Promise<void> {
    if (stop.signal.aborted || allRuns(repository, sha).some((run) => run.suite.app === CI_APP)) return
    const command = await ciCommand(repository, sha)
    if (command === undefined) return
    const run = createCheckRun(world, repository, bot, {
      name: repository.ci.checkName,
      sha,
      app: CI_APP,
      branch,
      output: queued(command),
    })
    enqueue(repository, run, command)
  }

  function enqueue(repository: Repository, run: CheckRun, command: string): void {
    tail = tail.then(() => perform(repository, run, command)).catch(log)
  }

  async function restart(repository: Repository, run: CheckRun): Promise<void> {
    const command = await ciCommand(repository, run.suite.sha)
    if (command === undefined) {
      updateCheckRun(world, repository, bot, run, { conclusion: 'cancelled' })
      return
    }
    updateCheckRun(world, repository, bot, run, { status: 'queued', output: queued(command) })
    enqueue(repository, run, command)
  }

  async function perform(repository: Repository, run: CheckRun, command: string): Promise<void> {
    if (stop.signal.aborted) return
    updateCheckRun(world, repository, bot, run, { status: 'in_progress', output: { title: 'Running' } })
    const outcome = await executeCi(
      repository.path,
      run.suite.sha,
      command,
      repository.ci.timeoutMs,
      stop.signal,
    ).catch((error: unknown) => {
      log(error)
      return { conclusion: 'failure' as const, summary: 'The checkout failed.', log: '' }
    })
    // Ended together with the forge: it stays in progress, and the next start runs it again.
    if (stop.signal.aborted && outcome.conclusion !== 'success') return
    const title =
      outcome.conclusion === 'success'
        ? 'Tests passed'
        : outcome.conclusion === 'timed_out'
          ? 'Tests took too long'
          : 'Tests failed'
    updateCheckRun(world, repository, bot, run, {
      conclusion: outcome.conclusion,
      output: { title, summary: outcome.summary, text: outcome.log },
    })
  }

  world.tipListeners.add(tipMoved)
  async function idle(): Promise<void> {
    const waited = tail
    await waited
    if (tail !== waited) await idle()
  }
  return {
    async resume() {
      for (const { repository, run } of left.splice(0)) await restart(repository, run)
    },
    idle,
    async close() {
      world.tipListeners.delete(tipMoved)
      stop.abort()
      await tail
    },
  }
}

function unfinished(repository: Repository): CheckRun[] {
  const own = repository.suites.filter((suite) => suite.app === CI_APP)
  return own.flatMap((suite) => suite.runs).filter((run) => run.status !== 'completed')
}

function queued(command: string): { title: string; summary: string } {
  return { title: 'Queued', summary: `\`${command}\`` }
}
