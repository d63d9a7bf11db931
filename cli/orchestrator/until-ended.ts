import type { Logger } from '../../edges/http/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import { sleep } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Orchestrator } from './start.ts'

/** What a stop may take over a store that answers nothing any more. */
const lostStopMs = 5000

/**
 * Runs until it is asked to stop, or until its store is lost: only a new process can open that anew, and whoever
 * supervises this one starts it. Gives the exit code.
 */
export async function untilEnded(
  running: Pick<Orchestrator, 'lost' | 'stop'>,
  { asked, logger, clock }: { readonly asked: Promise<void>; readonly logger: Logger; readonly clock: Clock },
): Promise<number> {
  const lost = await Promise.race([asked.then(() => undefined), running.lost])
  if (lost === undefined) {
    logger.info('stopping')
    await running.stop()
    return 0
  }
  logger.fatal({ error: lost.message }, 'the store is lost: this process ends, and the next one opens it anew')
  const stopping = running
    .stop()
    .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'not everything could be stopped'))
  await Promise.race([stopping, sleep(clock, lostStopMs)])
  return 1
}
