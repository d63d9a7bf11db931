import type { Clock } from '../../clock.ts'
import type { Logger } from '../../../http/logging.ts'
import type { Repository } from '../repository.ts'
import type { Workspace } from './workspace.ts'

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
      if (failed) options.logger.info({ repo: repository.name, reason: outcome.reason }, 'safety push refused')
      options.onResult(failed ? 'failed' : 'ok')
    } catch (error) {
      options.logger.warn({ repo: repository.name, error: (error as Error).message }, 'safety push failed')
      options.onResult('failed')
    }
  }
  return {
    stop(): void {
      stopped = true
      timer.cancel()
    },
  }
}
