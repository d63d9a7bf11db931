import { kindOf, sentIn, stageOf, stepsOf, taskIn, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** A pod that was told to stop may hand off, and do nothing else. */
function worksOn(trace: Trace): readonly string[] {
  const stopped = new Set<string>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'stepped' || kindOf(moment.actor) !== 'pod') return []
    if (moment.event.type === 'pod.stop') stopped.add(moment.actor)
    if (!stopped.has(moment.actor)) return []
    return sentIn(moment)
      .filter(({ event }) => event.type === 'turn.start' && event['purpose'] === 'work')
      .map(() => `${moment.actor} began an ordinary turn after it was told to stop, by ${moment.event.type}`)
  })
}

export const law19: Law = { number: 19, says: 'no ordinary turn after `pod.stop`', breaches: worksOn }

/** What pods, their turns and their agents say. */
const spoken = /^(outcome$|pod\.|turn\.|note\.|agent\.)/

export const law21: Law = {
  number: 21,
  says: 'nothing a pod says moves a park',
  breaches: (trace) =>
    stepsOf(trace, 'task')
      .filter(({ before, after, event }) => {
        const isParked = before !== undefined && taskIn(before).stage.class === 'parked'
        return isParked && spoken.test(event.type) && stageOf(before) !== stageOf(after)
      })
      .map(
        ({ actor, before, after, event }) =>
          `${event.type} moved ${actor} from ${stageOf(before)} to ${stageOf(after)}`,
      ),
}
