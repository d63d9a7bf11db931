/** What the Task was told, which no moment shows: of its issues, and of the branches that its reviews read. */
import type { TaskSeed } from '../../../machines/task/events.ts'
import { isVerdict } from '../../prove/history.ts'
import { kindOf, taskIn, type Snapshot, type Trace } from '../world/trace.ts'

const news: Readonly<Record<string, { readonly isLive?: boolean; readonly isGranted?: boolean }>> = {
  'approval.granted': { isGranted: true },
  'approval.revoked': { isGranted: false },
  'issue.closed': { isLive: false },
  'issue.reopened': { isLive: true },
}

/** LAW-3. A Task whose issues were all closed is not ungated: closing is no approval [APPROVAL-8]. */
export function opensUngranted(trace: Trace): readonly string[] {
  const told = new Map<string, Map<string, { readonly isLive: boolean; readonly isGranted: boolean }>>()
  return trace.flatMap((moment) => {
    const { actor } = moment.kind === 'stepped' ? moment : moment.effect
    const issues = told.get(actor) ?? new Map()
    if (moment.kind === 'stepped') {
      if (kindOf(actor) !== 'task') return []
      const { type, issue, seed } = moment.event
      for (const one of type === 'task.minted' ? (seed as TaskSeed).issues : [])
        if (!issues.has(one.issue)) issues.set(one.issue, { isLive: true, isGranted: false })
      if (issues.has(issue)) issues.set(issue, { ...issues.get(issue), ...news[type] })
      told.set(actor, issues)
    }
    if (moment.kind === 'stepped' || moment.effect.type !== 'openMergeRequest' || moment.result !== 'opened') return []
    const live = [...issues.values()].filter(({ isLive }) => isLive)
    if (issues.size === 0 || (live.length > 0 && live.every(({ isGranted }) => isGranted))) return []
    return [`${actor} opened a merge request and knew of ${JSON.stringify([...issues])}`]
  })
}

/**
 * LAW-2. A turn is rendered when it is submitted: what the Task knew then is what its agent read (HEAD-1). An agent that
 * decides before a turn was submitted to its pod read what the Task knew as it decided.
 */
export function mergesUnread(trace: Trace): readonly string[] {
  const told = new Map<string, Snapshot | undefined>()
  const read = new Map<string, Snapshot | undefined>()
  return trace.flatMap((moment) => {
    if (moment.kind === 'stepped') {
      const pod = `${moment.actor}/${String(moment.event['pod'])}`
      if (isVerdict(moment)) read.set(moment.actor, told.get(pod) ?? moment.before)
      return []
    }
    const { effect, result, actors } = moment
    const { task, podOrdinal, repository, number, base } = effect.params
    if (effect.type === 'submitTurn' && result === 'accepted')
      told.set(`task:${String(task)}/${String(podOrdinal)}`, actors.get(`task:${String(task)}`))
    const known = read.get(effect.actor)
    if (effect.type !== 'mergeMergeRequest' || result !== 'merged' || !known) return []
    return taskIn(known)
      .forge.mergeRequests.filter((one) => one.repository === repository && one.number === number)
      .filter(({ baseBranch }) => baseBranch !== base)
      .map(({ baseBranch }) => `${effect.actor} merged into ${String(base)}, read was against ${baseBranch}`)
  })
}
