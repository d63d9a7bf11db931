/**
 * Asks the place about each pod that was created and has not ended, at the start and every five minutes. A pod that vanished
 * while no orchestrator ran is in no list and no watch: nothing else would ever show its end.
 */
import { allActors } from '../../runtime/all-actors.ts'
import { createLoop, type LoopOptions } from '../../runtime/loop.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { PodPort } from '../ports/pods.ts'
import { deliverObservation } from './inbound.ts'

const everyMs = 5 * 60_000

interface SweepDeps extends Pick<LoopOptions, 'clock' | 'random' | 'logger'> {
  readonly runtime: Pick<Runtime, 'list' | 'deliver'>
}

/** Ends with what it returns. A pod that the place cannot show now is asked of again soon. */
export function sweepPods(pods: Pick<PodPort, 'look'>, deps: SweepDeps): () => void {
  let isStopped = false
  const loop = createLoop({
    ...deps,
    name: 'pod-sweep',
    everyMs,
    turn: () => sweep(pods, deps, () => isStopped),
    failing: 'not every pod could be asked of; the sweep asks again',
    over: 'every pod can be asked of again',
  })
  loop.start()
  return () => {
    isStopped = true
    void loop.stop()
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
