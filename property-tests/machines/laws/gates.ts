import type { MachineEvent } from '../../../machines/definition.ts'
import type { TaskSeed } from '../../../machines/task/events.ts'
import { issueIn, performances, stepsOf, taskIn, type Performed, type Snapshot, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** What a Task was told of its issues, folded by the law itself. */
interface Told {
  readonly isLive: boolean
  readonly isGranted: boolean
}

const news: Readonly<Record<string, Partial<Told>>> = {
  'approval.granted': { isGranted: true },
  'approval.revoked': { isGranted: false },
  'issue.closed': { isLive: false },
  'issue.reopened': { isLive: true },
}

function toldOf(trace: Trace, task: string): ReadonlyMap<string, Told> {
  const told = new Map<string, Told>()
  for (const { actor, event } of stepsOf(trace, 'task')) {
    if (actor !== task) continue
    for (const { issue } of seedOf(event)?.issues ?? [])
      told.set(issue, told.get(issue) ?? { isLive: true, isGranted: false })
    const known = told.get(String(event['issue']))
    if (known) told.set(String(event['issue']), { ...known, ...news[event.type] })
  }
  return told
}

function seedOf(event: MachineEvent): TaskSeed | undefined {
  return event.type === 'task.minted' ? (event['seed'] as TaskSeed) : undefined
}

/** A Task whose issues were all closed is not ungated: closing is no approval [APPROVAL-8]. */
function opensUngranted(trace: Trace, opening: Performed): readonly string[] {
  const told = toldOf(trace.slice(0, trace.indexOf(opening)), opening.effect.actor)
  const live = [...told.values()].filter(({ isLive }) => isLive)
  if (told.size === 0 || (live.length > 0 && live.every(({ isGranted }) => isGranted))) return []
  return [
    `${opening.effect.actor} opened a merge request in ${String(opening.effect.params['repository'])} and knew of ${JSON.stringify([...told])}`,
  ]
}

export const law3: Law = {
  number: 3,
  says: 'no merge request is opened by an implement Task that ever owned an issue while a live one lacks its grant',
  breaches: (trace) =>
    performances(trace, 'openMergeRequest', 'opened').flatMap((opening) => opensUngranted(trace, opening)),
}

/**
 * The Issues' own words at the moment of the call. One of several issues that a human closed drops out; when all of them
 * are closed there is nothing left that somebody wants [APPROVAL-8].
 */
function mergesUngranted({ effect, actors }: Performed): readonly string[] {
  const task = actors.get(effect.actor)
  const owned = task ? taskIn(task).forge.issues.map(({ issue }) => wordOf(actors.get(`issue:${issue}`), issue)) : []
  const live = owned.filter(({ isClosed }) => !isClosed)
  if (owned.length > 0 && live.length === 0) return [`${effect.actor} merged while every issue was closed by a human`]
  return live
    .filter(({ isGranted }) => !isGranted)
    .map(({ issue }) => `${effect.actor} merged while ${issue} granted nothing`)
}

function wordOf(
  snapshot: Snapshot | undefined,
  issue: string,
): { readonly issue: string; readonly isGranted: boolean; readonly isClosed: boolean } {
  const { grant, facts } = snapshot ? issueIn(snapshot) : { grant: null, facts: null }
  return { issue, isGranted: grant !== null, isClosed: facts?.state === 'closed' && facts.closedBy !== 'bot' }
}

export const law18: Law = {
  number: 18,
  says: "no merge while a grant is off or its issue was closed by a human; the Issue's word counts, not the Task's copy",
  breaches: (trace) => performances(trace, 'mergeMergeRequest', 'merged').flatMap(mergesUngranted),
}
