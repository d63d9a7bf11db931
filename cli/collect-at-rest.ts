/**
 * V8 collects garbage when it needs room. A server that has just worked, and now rests, keeps for hours what it has freed:
 * of the three processes of `up` 150 MiB in all (BENCHMARKS.md, Footprint). So at rest it collects once.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock, type Clock } from '../runtime/clock.ts'

const lookMs = 5_000
/** Of one processor. Leases, polls and probes of a server at rest take one percent. */
const mostShare = 0.05
/** Of work since the last collection, the start of the process included: without it there is little to collect. */
const leastWorkMs = 2_000
/** A collection stops everything, for a millisecond a MiB or two. */
const largestHeap = 256 * 2 ** 20

interface RestPorts {
  readonly clock: Clock
  /** Milliseconds of processor time that this process has taken. */
  readonly workMs: () => number
  readonly heapBytes: () => number
  readonly collect: () => void
}

/** Until it is stopped. The ports are this process's own, but for those that are given. */
export function collectAtRest(given: Partial<RestPorts> = {}): { stop(): void } {
  const { clock, workMs, heapBytes, collect } = { ...ofThisProcess, ...given }
  let [collectedAt, last] = [0, workMs()]
  let timer = clock.setTimer(lookMs, look)

  function look(): void {
    const now = workMs()
    const isResting = now - last < lookMs * mostShare
    last = now
    if (isResting && now - collectedAt >= leastWorkMs && heapBytes() <= largestHeap) {
      collect()
      collectedAt = last = workMs()
    }
    timer = clock.setTimer(lookMs, look)
  }

  return { stop: () => timer.cancel() }
}

const ofThisProcess: RestPorts = {
  clock: systemClock,
  workMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  heapBytes: () => process.memoryUsage().heapTotal,
  collect: collectGarbage,
}

/** Node gives the collector to who started it with a flag; a context that is made while the flag is set has it too. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  gc()
}
