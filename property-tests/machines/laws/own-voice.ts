import { sentIn, stageOf, stepsOf, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

function breaches(trace: Trace): readonly string[] {
  const moved = stepsOf(trace, 'task').filter(
    (step) => step.causedBy === 'bot' && stageOf(step.before) !== stageOf(step.after),
  )
  const heard = trace.flatMap((moment) =>
    moment.kind === 'stepped' && moment.causedBy === 'bot'
      ? sentIn(moment).filter(({ to, event }) => to.startsWith('task:') && /^(approval|human)\./.test(event.type))
      : [],
  )
  return [
    ...moved.map(({ actor, event, after }) => `our own comment moved ${actor} by ${event.type} to ${stageOf(after)}`),
    ...heard.map(({ to, event }) => `our own comment told ${to} ${event.type}`),
  ]
}

export const law4: Law = { number: 4, says: "the bot's own comment never moves a Task", breaches }
