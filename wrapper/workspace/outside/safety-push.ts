import { isLogged } from '../../../runtime/outage.ts'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../../http/operational/logging.ts'
import type { Repository } from '../repository.ts'
import type { Workspace } from './workspace.ts'
import { messageOf } from '../../errors.ts'

interface SafetyPushOptions {
  readonly workspace: Workspace
  readonly clock: Clock
  readonly logger: Logger
  readonly intervalMs: number
  /** False while something else works in the repositories, or no turn runs. */
  readonly mayPush: () => boolean
  readonly onResult: (result: 'ok' | 'failed') => void
}

/** The mid-turn safety net: push only, no add, no commit (WORK-PUSH-2, WORK-PUSH-3). Behind the remote and nothing to push count as success. */
export function startSafetyPush(options: SafetyPushOptions): { stop(): void } {
  if (options.intervalMs === 0) return { stop: () => undefined }
  const failing = new Map<string, number>()
  let stopped = false
  let timer = schedule()
  function schedule(): { cancel(): void } {
    return options.clock.setTimer(options.intervalMs, () => void round())
  }
  async function round(): Promise<void> {
    if (options.mayPush()) for (const repository of options.workspace.repositories) await pushOne(repository)
    if (!stopped) timer = schedule()
  }
  async function pushOne(repository: Repository): Promise<void> {
    try {
      const outcome = await options.workspace.pushOnly(repository)
      const failed = outcome.state === 'refused' && !outcome.behind
      if (failed) logFailure(repository.name, outcome.reason, 'safety push refused')
      else answered(repository.name)
      options.onResult(failed ? 'failed' : 'ok')
    } catch (error) {
      logFailure(repository.name, messageOf(error), 'safety push failed')
      options.onResult('failed')
    }
  }
  function logFailure(repo: string, reason: string, message: string): void {
    const failures = (failing.get(repo) ?? 0) + 1
    failing.set(repo, failures)
    if (isLogged(failures)) options.logger.warn({ repo, reason, failures }, message)
  }
  function answered(repo: string): void {
    const failures = failing.get(repo)
    if (failing.delete(repo)) options.logger.info({ repo, failures }, 'safety push works again')
  }
  return {
    stop(): void {
      stopped = true
      timer.cancel()
    },
  }
}
