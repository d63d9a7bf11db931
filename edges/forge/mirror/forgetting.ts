/** Forgets what is gone (MIRROR-8) while the edge runs; each process sweeps, and two at once do no harm. */
import type { Clock, Timer } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createOutage } from '../../../runtime/outage.ts'
import type { Random } from '../../../runtime/random.ts'

const EVERY_MS = 6 * 3_600_000
/** After a start, and while there is more. */
const SOON_MS = 10 * 60_000

interface ForgettingOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** False: there is more. */
  readonly sweep: () => Promise<boolean>
}

interface Forgetting {
  start(): void
  stop(): Promise<void>
}

export function createForgetting({ clock, random, logger, sweep }: ForgettingOptions): Forgetting {
  const outage = createOutage({
    clock,
    random,
    logger,
    failing: 'the forge edge could not forget what is gone',
    over: 'the forge edge forgets what is gone again',
  })
  const state: { timer: Timer | undefined; running: Promise<void> | undefined; isOpen: boolean } = {
    timer: undefined,
    running: undefined,
    isOpen: false,
  }

  async function run(): Promise<void> {
    try {
      const isDone = await sweep()
      outage.answered()
      schedule(isDone ? EVERY_MS : SOON_MS)
    } catch (error) {
      schedule(Math.max(outage.failed(error), SOON_MS))
    }
  }

  function schedule(delayMs: number): void {
    if (state.isOpen) state.timer = clock.setTimer(delayMs, () => void (state.running = run()))
  }

  return {
    start() {
      state.isOpen = true
      schedule(SOON_MS)
    },
    async stop() {
      state.isOpen = false
      state.timer?.cancel()
      await state.running
    },
  }
}
