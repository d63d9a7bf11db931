import { idOf, kindOf, parentOf, sentIn, taskIn, type Snapshot, type Stepped, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** Lives from the moment it is asked for to its own final state: a message on its way is a pod already. */
function twoPods(step: Stepped, live: Map<string, Set<string>>): readonly string[] {
  if (kindOf(step.actor) === 'pod' && step.after.status === 'done') live.get(parentOf(step.actor))?.delete(step.actor)
  if (kindOf(step.actor) !== 'task') return []
  const started = sentIn(step).filter(({ event }) => event.type === 'pod.start')
  const pods = live.get(idOf(step.actor)) ?? new Set()
  for (const { to } of started) pods.add(to)
  live.set(idOf(step.actor), pods)
  return started.length > 0 && pods.size > 1 ? [`${step.actor} has ${[...pods].join(' and ')}`] : []
}

const turnEnds: ReadonlySet<string> = new Set(['turn.abandon', 'turn.podFinal'])

/** In flight from `turn.start` to its own end, or to the word of its pod that gives it up. */
function twoTurns(step: Stepped, open: Map<string, Set<string>>): readonly string[] {
  if (kindOf(step.actor) === 'turn' && step.after.status === 'done') open.get(parentOf(step.actor))?.delete(step.actor)
  if (kindOf(step.actor) !== 'pod') return []
  const turns = open.get(idOf(step.actor)) ?? new Set()
  open.set(idOf(step.actor), turns)
  const told = sentIn(step).filter(({ to }) => to.startsWith('turn:'))
  for (const { to, event } of told) if (turnEnds.has(event.type)) turns.delete(to)
  for (const { to, event } of told) if (event.type === 'turn.start') turns.add(to)
  return turns.size > 1 ? [`${step.actor} has ${[...turns].join(' and ')} in flight`] : []
}

function ownedBy(snapshot: Snapshot): readonly string[] {
  const {
    stage: { class: stageClass },
    forge: { issues, mergeRequests },
  } = taskIn(snapshot)
  if (stageClass === 'terminal') return []
  const open = ({ state }: { readonly state: string }): boolean => state === 'open'
  return [
    ...issues.filter(open).map(({ issue }) => `issue ${issue}`),
    ...mergeRequests.filter(open).map(({ mergeRequest }) => `merge request ${mergeRequest}`),
  ]
}

/** Judged when no word is on its way: a second owner may be minted, and is sent away by the subject itself. */
function twoOwners(step: Stepped, owned: Map<string, readonly string[]>): readonly string[] {
  if (kindOf(step.actor) === 'task') owned.set(step.actor, ownedBy(step.after))
  if (!step.isQuiet) return []
  const all = [...owned].flatMap(([task, things]) => things.map((thing) => ({ task, thing })))
  return all.flatMap(({ task, thing }, index) =>
    all
      .slice(index + 1)
      .flatMap((other) => (other.thing === thing ? [`${thing} is owned by ${task} and ${other.task}`] : [])),
  )
}

function breaches(trace: Trace): readonly string[] {
  const pods = new Map<string, Set<string>>()
  const turns = new Map<string, Set<string>>()
  const owned = new Map<string, readonly string[]>()
  return trace.flatMap((moment) =>
    moment.kind === 'stepped'
      ? [...twoPods(moment, pods), ...twoTurns(moment, turns), ...twoOwners(moment, owned)]
      : [],
  )
}

export const law7: Law = {
  number: 7,
  says: 'at most one live pod per Task, one turn in flight per pod, one owner per issue and merge request',
  breaches,
}
