/** What is told or asked twice: duplicates change nothing (LAW-8), and no write is asked for twice at once (LAW-11). */
import type { OutboxEffectType } from '../../machines/effect.ts'
import { kindOf } from '../machines/world/trace.ts'
import type { Moves } from './moves.ts'
import type { FiniteLaw, Seen } from './world-model.ts'

const prefix = 'again/'

/**
 * What may come under another key too: from edges that are not sure, the walk of a mirror, or out of a dead letter. Left
 * out is what says something new each time (a claim is answered, a hint asks, a report counts), and `mr.merged`, which
 * a merge request says to its owner once: told again, it takes the merge of the next one back and asks for it anew.
 */
export const repeated: readonly string[] = [
  'queue.configured',
  'queue.opened',
  'queue.budgeted',
  'queue.enqueue',
  'queue.withdraw',
  'queue.release',
  'slot.granted',
  'task.minted',
  'task.delivered',
  'task.ended',
  'pod.start',
  'pod.stop',
  'pod.volumesBound',
  'pod.created',
  'pod.ready',
  'pod.session',
  'pod.working',
  'pod.noted',
  'pod.final',
  'pod.notEnding',
  'pod.vanished',
  'turn.requested',
  'turn.start',
  'submit.accepted',
  'outcome',
  'reservation.granted',
  'reservation.settled',
  'budget.exhausted',
  'project.checked',
  'issue.observed',
  'issue.owned',
  'issue.handedOver',
  'issue.agentRunning',
  'plan.written',
  'approval.granted',
  'approval.commented',
  'mr.observed',
  'mr.owned',
  'mr.handedOver',
  'mr.headMoved',
  'mr.ready',
  'merge.asked',
  'merge.left',
  'verdict.posted',
  'fold.accepted',
  'fold.refused',
]

/** It arrives, and once more. */
export const repeats: Moves = ({ actors }) =>
  actors.channels.flatMap((channel) => {
    const [mail] = actors.mail(channel)
    if (!mail || !repeated.includes(mail.event.type)) return []
    const says = `${channel}: ${mail.event.type}, told twice`
    const act = (one: Parameters<Moves>[0]): void => {
      one.actors.deliver(channel)
      one.actors.ask({ ...mail, key: `${prefix}${mail.key}` })
    }
    return [{ says, cost: 1 as const, act }]
  })

/**
 * `read`: an event told again may ask for it again. `write`: never outstanding under two keys. `other`: an event told
 * again asks for none, but an actor may have two outstanding, as two comments.
 */
const repetition = {
  writeLabels: 'other',
  postComment: 'other',
  closeIssue: 'other',
  fileIssue: 'write',
  requestFold: 'write',
  openMergeRequest: 'write',
  mergeMergeRequest: 'write',
  postReview: 'other',
  bindVolumes: 'write',
  createPod: 'write',
  readSession: 'read',
  stopPod: 'other',
  forceDeletePod: 'other',
  deleteWorkspace: 'other',
  submitTurn: 'write',
  pollTurn: 'other',
  probeTurn: 'other',
  interruptTurn: 'other',
  checkProject: 'other',
  resyncMirror: 'other',
  planTick: 'other',
  readBacklog: 'other',
  fillMemory: 'other',
  reconcileMemoryStack: 'other',
} satisfies Record<OutboxEffectType, 'read' | 'write' | 'other'>

function typesThat(what: 'read' | 'write'): readonly string[] {
  return Object.keys(repetition).filter((type) => repetition[type as OutboxEffectType] === what)
}

/** An `answer` is the runtime's own. */
const reads: ReadonlySet<string> = new Set(['answer', ...typesThat('read')])
const writes: ReadonlySet<string> = new Set(typesThat('write'))

/** When it was heard is no change. */
function plainOf(snapshot: unknown): string {
  return JSON.stringify(snapshot, (key, inner: unknown) => (key === 'at' ? undefined : inner))
}

function changedAgain({ moment }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || !moment.heardAs?.startsWith(prefix)) return []
  const { actor, before, after, event, effects } = moment
  if (!before) return []
  const isSame =
    plainOf([before.value, before.status, before.context]) === plainOf([after.value, after.status, after.context])
  return [
    ...(isSame ? [] : [`${event.type}, told again, changes a ${kindOf(actor)}`]),
    ...effects.filter(({ type }) => !reads.has(type)).map(({ type }) => `${event.type}, told again, asks for ${type}`),
  ]
}

/** One write under two keys would be done twice by whoever recovers after a crash. */
function askedTwice({ moment, world }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || moment.outstanding.length < 2) return []
  const asked = world.actors.outbox
    .filter(({ actor, type }) => actor === moment.actor && writes.has(type))
    .map(({ type, params }) => `${type} ${JSON.stringify(params)}`)
  return asked
    .filter((one, index) => asked.indexOf(one) !== index)
    .map((one) => `${one.split(' ')[0]} is asked for twice`)
}

export const repeatLaws: readonly FiniteLaw[] = [
  { law: 8, says: 'what is told again changes nothing', breaches: changedAgain },
  { law: 11, says: 'no write is outstanding under two keys', breaches: askedTwice },
]
