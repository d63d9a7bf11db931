import { issueIn, kindOf, type Performed, type Stepped, type Trace } from '../world/trace.ts'

/** As the forge has them, by Issue. */
export type Labels = Readonly<Record<string, string>>

/** As the Project of these worlds names them (PROJECT-LABELS, docs/contract/resources.md). */
const phases: Readonly<Record<string, readonly string[]>> = {
  refined: ['planning'],
  approved: ['approved'],
  implementing: ['approved'],
  rejected: ['declined'],
}
const begun: ReadonlySet<string> = new Set(['refined', 'approved', 'implementing'])

export function keepLabels(past: Labels, { effect: { actor, type, params } }: Performed): Labels {
  if (type !== 'writeLabels') return past
  return { ...past, [actor]: (params['labels'] as readonly string[]).toSorted().join(' ') }
}

/** Judged when no writing of them is outstanding; before the first there are none. */
export function mislabelled({ actor, after, outstanding }: Stepped, there: Labels): readonly string[] {
  if (outstanding.includes('writeLabels')) return []
  const { status, implementRan } = issueIn(after)
  const want = [...(phases[status] ?? []), ...(implementRan && begun.has(status) ? ['in-work'] : [])]
    .toSorted()
    .join(' ')
  const has = there[actor] ?? ''
  return want === has ? [] : [`an issue that is ${status} has the labels "${has}"`]
}

/**
 * LAW-10. Until what an Issue asked for last is done, nobody's word holds: it waits, or was refused for good. That an earlier
 * writing is done says nothing of it. An effect keeps the params of the step that asked for it, by which it is known.
 */
export function mislabels(trace: Trace): readonly string[] {
  let there: Labels = {}
  const undone = new Map<string, unknown>()
  return trace.flatMap((moment) => {
    if (moment.kind === 'performed') {
      there = keepLabels(there, moment)
      if (undone.get(moment.effect.actor) === moment.effect.params) undone.delete(moment.effect.actor)
      return []
    }
    if (kindOf(moment.actor) !== 'issue') return []
    const asked = moment.effects.findLast(({ type }) => type === 'writeLabels')
    if (asked) undone.set(moment.actor, asked.params)
    return undone.has(moment.actor) ? [] : mislabelled(moment, there)
  })
}
