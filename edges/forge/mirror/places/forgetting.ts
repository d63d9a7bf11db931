/** Forgets what is gone (MIRROR-8) while the edge runs; each process sweeps, and two at once do no harm. */
import { createLoop, type Loop, type LoopOptions } from '../../../../runtime/loop.ts'

const EVERY_MS = 6 * 3_600_000
/** After a start, and while there is more. */
const SOON_MS = 10 * 60_000

interface ForgettingOptions extends Pick<LoopOptions, 'clock' | 'random' | 'logger'> {
  /** False: there is more. */
  readonly sweep: () => Promise<boolean>
}

export function createForgetting({ sweep, ...options }: ForgettingOptions): Pick<Loop, 'start' | 'stop'> {
  const loop = createLoop({
    ...options,
    name: 'forgetting',
    everyMs: EVERY_MS,
    turn: async () => ((await sweep()) ? EVERY_MS : SOON_MS),
    failing: 'the forge edge could not forget what is gone',
    over: 'the forge edge forgets what is gone again',
    bounds: { firstMs: SOON_MS, longestMs: EVERY_MS },
  })
  return { start: () => loop.start(SOON_MS), stop: () => loop.stop() }
}
