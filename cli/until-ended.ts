import type { Logger } from '../http/operational/logging.ts'
import type { Clock } from '../runtime/clock.ts'
import { sleep } from '../runtime/clock.ts'
import { messageOf } from '../runtime/errors.ts'
import { collectAtRest } from './collect-at-rest.ts'
import type { Orchestrator } from '../orchestrator/wiring/start.ts'

/** What a stop may take when nobody waits for its good end. */
const hurriedStopMs = 5000

interface Endings {
  readonly asked: Promise<void>
  /** The process that supervised this one is gone: nobody would start it again, and what it needs of that one is gone, too. */
  readonly orphaned: Promise<void>
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * Runs until it is asked to stop, until its store is lost, which only a new process can open anew, or until its supervisor
 * is gone. Gives the exit code.
 */
export async function untilEnded(
  running: Pick<Orchestrator, 'lost' | 'stop'>,
  { asked, orphaned, logger, clock }: Endings,
): Promise<number> {
  const rest = collectAtRest({ clock })
  const ending = await Promise.race([
    asked.then(() => undefined),
    running.lost,
    orphaned.then(() => new Error('the process that supervised this one is gone')),
  ])
  rest.stop()
  if (ending === undefined) {
    logger.info('stopping')
    await running.stop()
    return 0
  }
  logger.fatal({ error: ending.message }, 'this process lost its store or its supervisor, and ends')
  const stopping = running
    .stop()
    .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'some parts of this process did not stop'))
  await Promise.race([stopping, sleep(clock, hurriedStopMs)])
  return 1
}
