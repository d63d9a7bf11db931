/** What a timer calls runs outside of every error handling: a server's clock tells what it throws, and goes on (HTTP-RULE-8). */
import type { Logger } from './logging.ts'
import { timerFaults } from './metrics.ts'
import type { Clock } from './ports.ts'

/** The same clock. A loop still has to set its next timer by itself, whatever its turn throws. */
export function withFaultsCounted<C extends Clock>(clock: C, logger: Pick<Logger, 'error'>): C {
  const setTimer: Clock['setTimer'] = (milliseconds, run) =>
    clock.setTimer(milliseconds, () => {
      try {
        run()
      } catch (error) {
        timerFaults.inc()
        logger.error({ err: error }, 'what a timer called has failed; the server goes on')
      }
    })
  return { ...clock, setTimer }
}
