/**
 * Asks the place about each pod that was created and has not ended, at the start and every five minutes. A pod that vanished
 * while no orchestrator ran is in no list and no watch: nothing else would ever show its end.
 */
import { allActors } from '../../runtime/all-actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Logger } from '../../http/logging.ts'
import type { PodPort } from '../ports/pods.ts'
import { deliverObservation } from './inbound.ts'

const everyMs = 5 * 60_000

interface SweepDeps {
  readonly runtime: Pick<Runtime, 'list' | 'deliver'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Ends with what it returns. A pod that the place cannot show now is asked of again by the next sweep. */
export function sweepPods(pods: Pick<PodPort, 'look'>, deps: SweepDeps): () => void {
  const { clock, logger } = deps
  let isStopped = false
  let timer = clock.setTimer(0, again)
  function again(): void {
    sweep(pods, deps, () => isStopped)
      .catch((error: unknown) => logger.warn({ err: error }, 'not every pod could be asked of; the next sweep does it'))
      .finally(() => {
        if (!isStopped) timer = clock.setTimer(everyMs, again)
      })
  }
  return () => {
    isStopped = true
    timer.cancel()
  }
}

async function sweep(pods: Pick<PodPort, 'look'>, deps: SweepDeps, isStopped: () => boolean): Promise<void> {
  const failures: unknown[] = []
  for await (const { id, status, context } of allActors(deps.runtime, 'pod')) {
    if (isStopped()) return
    if (status !== 'active' || context['name'] === '') continue
    try {
      const observation = await pods.look(id)
      if (observation !== undefined) await deliverObservation(observation, deps)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'pods that could not be asked of')
}
