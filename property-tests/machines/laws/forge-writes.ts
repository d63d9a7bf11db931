import { idOf, kindOf, parentOf, stepsOf, stageOf, type Performed, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** Asked of the forge, whatever the forge says to it. */
function mergesWithAPod(moment: Performed): readonly string[] {
  if (moment.effect.type !== 'mergeMergeRequest') return []
  return [...moment.actors]
    .filter(
      ([address, { status }]) =>
        kindOf(address) === 'pod' && status === 'active' && parentOf(address) === idOf(moment.effect.actor),
    )
    .map(([pod]) => `${moment.effect.actor} asked for its merge while ${pod} lives`)
}

export const law16: Law = {
  number: 16,
  says: 'no pod of the Task lives when its merge is performed',
  breaches: (trace) => trace.flatMap((moment) => (moment.kind === 'performed' ? mergesWithAPod(moment) : [])),
}

/** The state that each forge write belongs to. */
const home: Readonly<Record<string, string>> = {
  openMergeRequest: '{"live":{"active":{"reviewing":{"opening":"asked"}}}}',
  mergeMergeRequest: '"merging":{"asked"',
}

function outlived(trace: Trace): readonly string[] {
  return stepsOf(trace, 'task').flatMap(({ actor, outstanding, after }) =>
    outstanding
      .filter((type) => home[type] !== undefined && !stageOf(after).includes(home[type]))
      .map((type) => `${actor} has ${type} outstanding in ${stageOf(after)}`),
  )
}

export const law17: Law = { number: 17, says: "an outstanding forge write's state is active", breaches: outlived }
