import { answerIn, sentIn, stageOf, stepsOf, type Stepped, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

function movers(trace: Trace): readonly Stepped[] {
  return stepsOf(trace, 'task').filter(
    ({ event, before, after }) => event.type === 'outcome' && stageOf(before) !== stageOf(after),
  )
}

function twice(trace: Trace): readonly string[] {
  const moved = new Set<string>()
  return movers(trace).flatMap(({ actor, event }) => {
    const pod = `${actor} pod ${String(event['pod'])}`
    if (moved.has(pod)) return [`${pod} moved the stage a second time by ${String(event['action'])}`]
    moved.add(pod)
    return []
  })
}

/** An outcome of a pod that another has replaced is never accepted [OUTCOME-RULE-1]. */
function superseded(trace: Trace): readonly string[] {
  const newest = new Map<string, number>()
  return stepsOf(trace, 'task').flatMap((step) => {
    const { actor, event } = step
    const isOld = event.type === 'outcome' && Number(event['pod']) < (newest.get(actor) ?? 0)
    const isHeard = answerIn(step)?.status === 200 || stageOf(step.before) !== stageOf(step.after)
    const found =
      isOld && isHeard ? [`${actor} heard pod ${String(event['pod'])} after pod ${newest.get(actor)} was started`] : []
    for (const { event: sent } of sentIn(step))
      if (sent.type === 'pod.start') newest.set(actor, Number(sent['ordinal']))
    return found
  })
}

export const law15: Law = {
  number: 15,
  says: 'at most one stage-moving outcome per pod, and none of a pod that was replaced',
  breaches: (trace) => [...twice(trace), ...superseded(trace)],
}
