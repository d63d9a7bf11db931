import { idOf, parentOf, podIn, stepsOf, taskIn, type Snapshot, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** In the Task's journal by the time the pod is final, not some day. */
function breaches(trace: Trace): readonly string[] {
  const tasks = new Map<string, Snapshot>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'stepped') return []
    if (moment.actor.startsWith('task:')) tasks.set(idOf(moment.actor), moment.after)
    if (!moment.actor.startsWith('pod:') || moment.after.status !== 'done') return []
    const { turns, ordinal } = podIn(moment.after)
    const task = tasks.get(parentOf(moment.actor))
    const notes = task ? taskIn(task).journal.notes : []
    const isNoted = notes.some((note) => note.pod === ordinal && note.kind === 'handoff')
    return turns === 0 || isNoted ? [] : [`${moment.actor} ran ${turns} turns and left no hand-off note`]
  })
}

export const law6: Law = {
  number: 6,
  says: 'every pod that ran has a note in status.notes',
  breaches: (trace) => (stepsOf(trace, 'pod').length === 0 ? [] : breaches(trace)),
}
