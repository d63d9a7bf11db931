/**
 * What a timer or a loop calls runs outside of every error handling. A server's clock counts what a timer's callback throws,
 * and goes on (HTTP-RULE-8); and it knows which loop of the process had no turn for too long (HTTP-RULE-9).
 */
import type { Logger } from './logging.ts'
import { loopTurns, timerFaults } from './metrics.ts'
import type { Clock, LoopSilence } from '../ports.ts'

/** What a loop opens: the runtime's `LoopName`. */
interface LoopName {
  readonly name: string
  readonly everyMs: number
  readonly isVital?: boolean
}

interface LoopWatch {
  turn<T>(run: () => Promise<T>): Promise<T>
  turned(): void
  close(): void
}

interface WatchedLoops {
  readonly loops: { open(loop: LoopName): LoopWatch }
  silences(): readonly LoopSilence[]
}

type Elapsing = Clock & { elapsed(): number }

/** So many pauses without a turn are too long, and no pause counts for less than a minute: turns have backoffs and deadlines. */
const mostPauses = 3
const shortestPauseMs = 60_000

export function serverClock<C extends Elapsing>(clock: C, logger: Pick<Logger, 'error'>): C & WatchedLoops {
  const setTimer: Clock['setTimer'] = (milliseconds, run) =>
    clock.setTimer(milliseconds, () => {
      try {
        run()
      } catch (error) {
        timerFaults.inc()
        logger.error({ err: error }, 'what a timer called has failed; the server goes on')
      }
    })
  return { ...clock, setTimer, ...watchedLoops(clock) }
}

function watchedLoops(clock: Elapsing): WatchedLoops {
  const watched = new Set<LoopName & { lastAt: number }>()
  function open(name: LoopName): LoopWatch {
    const loop = { ...name, lastAt: clock.elapsed() }
    watched.add(loop)
    const ended = (outcome: 'done' | 'failed'): void => {
      loop.lastAt = clock.elapsed()
      loopTurns.inc({ loop: loop.name, outcome })
    }
    return {
      async turn(run) {
        try {
          const result = await run()
          ended('done')
          return result
        } catch (error) {
          ended('failed')
          throw error
        }
      },
      turned: () => ended('done'),
      close: () => void watched.delete(loop),
    }
  }
  function silences(): readonly LoopSilence[] {
    return [...watched].map(({ name, everyMs, isVital = false, lastAt }) => {
      const silentMs = clock.elapsed() - lastAt
      return { name, silentMs, isTooLong: silentMs > mostPauses * Math.max(everyMs, shortestPauseMs), isVital }
    })
  }
  return { loops: { open }, silences }
}
