/**
 * The laws (docs/laws.md) in their finite form: each looks at one moment, the world it left behind, and what the
 * history remembers of the past. Most are judged over whole histories too (`../machines/laws.ts`).
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { broughtAlong } from '../machines/laws/comes-back.ts'
import { costsWork, overlooksHead } from '../machines/laws/heads.ts'
import { mislabelled } from '../machines/laws/labels.ts'
import { takenAgain } from '../machines/laws/prompts.ts'
import { overruled } from '../machines/laws/withdrawals.ts'
import { entryLaw } from './entries.ts'
import { isLost } from './hand-overs.ts'
import { mergeOrderLaw } from './merge-order.ts'
import { repeatLaws } from './repeats.ts'
import { spendingLaws } from './spending-laws.ts'
import { grantedIn, type History, type JudgedHead } from './history.ts'
import {
  answerIn,
  idOf,
  issueIn,
  kindOf,
  parentOf,
  podIn,
  sentIn,
  stageOf,
  taskIn,
  type Performed,
  type Snapshot,
  type Stepped,
} from '../machines/world/trace.ts'
import { overdue } from './times.ts'
import { onStep, type Around, type FiniteLaw, type Seen } from './world-model.ts'

type Judge = FiniteLaw<Around>['breaches']

function onPerformed(
  type: string,
  result: string,
  judge: (performed: Performed, seen: Seen<Around>) => readonly string[],
): Judge {
  return (seen) =>
    seen.moment.kind === 'performed' && seen.moment.effect.type === type && seen.moment.result === result
      ? judge(seen.moment, seen)
      : []
}

type Slots = Pick<History, 'limits' | 'held'>

/** LAW-1 over one step of a queue. */
export function admissionBreaches(step: Stepped, past: Slots, { limits, held }: Slots): readonly string[] {
  const isShut = limits.isPaused || limits.isStopped || !limits.isReady
  // By the word that asks for one (MODEL-KEY-4).
  const isTry = step.event.type === 'queue.probe' && step.event['key'] === limits.key
  return grantedIn(step).flatMap((entry) => {
    const entryClass = held[entry] === 'alert' ? 'alert' : 'normal'
    const used = Object.values(held).filter((one) => one === held[entry]).length
    const isHeld = limits.budget === 'allHeld' || (limits.budget === 'normalHeld' && entryClass === 'normal')
    return [
      ...(entry in past.held ? [`${entry} is admitted twice`] : []),
      ...(held[entry] === 'unknown' ? [`${entry} is admitted and was never asked for`] : []),
      ...(used > limits[entryClass] ? [`more ${entryClass} entries are admitted than there are slots`] : []),
      ...(isShut ? ['an entry is admitted while paused or not ready'] : []),
      ...(limits.isWithheld && !isTry ? ['an entry is admitted while the model was withheld'] : []),
      ...(isHeld ? ['an entry is admitted while the budget is spent'] : []),
    ]
  })
}

const admission = onStep('queue', (step, { past, history }) => admissionBreaches(step, past, history))

/** A pod that lives on a slot that was given back is one too many, whoever gave it back [POD-1, POD-6]. */
const slotless = onStep('queue', (_step, { world, history }) => {
  const entries = livingPods(world.actors.snapshots()).map(([, pod]) => podIn(pod).entry)
  return [
    ...entries.filter((entry) => !(entry in history.held)).map(() => 'a pod lives and its slot is free'),
    ...(new Set(entries).size < entries.length ? ['two pods live on one slot'] : []),
  ]
})

type Known = ReadonlyMap<ActorAddress, Snapshot>

function livingPods(actors: Known, task = ''): readonly (readonly [ActorAddress, Snapshot])[] {
  return [...actors].filter(
    ([address, { status }]) =>
      status === 'active' && address.startsWith(task && `pod:${task}/`) && kindOf(address) === 'pod',
  )
}

const verdict = onPerformed('mergeMergeRequest', 'merged', ({ effect: { actor, params } }, { history }) => {
  const word = history.verdicts[idOf(actor)]
  const isNamed = ({ repo, number, sha, base }: JudgedHead): boolean =>
    repo === params['repository'] && number === params['number'] && sha === params['sha'] && base === params['base']
  if (word?.action !== 'approve') return [`merged, and the newest verdict is ${word?.action ?? 'none'}`]
  if (!word.heads.some(isNamed)) return ['merged a head that the review did not name']
  const isLet = (history.goAheads[idOf(actor)] ?? []).some(isNamed)
  const isForeign = word.heads.some((head) => isNamed(head) && head.isForeign)
  return (word.isHeld || isForeign) && !isLet ? ['merged a head that waited for a maintainer'] : []
})

const byHuman = 'was closed by a human'

function ungranted(task: Snapshot, actors: Known): readonly string[] {
  const { issues } = taskIn(task).forge
  return issues
    .filter(({ state }) => state !== 'handedOver')
    .flatMap(({ issue }) => {
      const snapshot = actors.get(`issue:${issue}`)
      const facts = snapshot && issueIn(snapshot).facts
      if (facts?.state === 'closed' && facts.closedBy !== 'bot') return [`issue ${issue} ${byHuman}`]
      return snapshot && issueIn(snapshot).grant ? [] : [`issue ${issue} has no grant`]
    })
}

/** By the Issue's own word: a history allows that it is on its way to the Task. */
const opening = onPerformed('openMergeRequest', 'opened', ({ effect: { actor }, actors }) => {
  const task = actors.get(actor)
  if (!task || taskIn(task).kind !== 'implement' || !taskIn(task).forge.everOwnedIssue) return []
  return ungranted(task, actors).map((why) => `a merge request is opened, and ${why}`)
})

/** The Issue's own word at the call; the mail that tells the Task may still be on its way. One of several that is closed drops out. */
const merging = onPerformed('mergeMergeRequest', 'merged', ({ effect: { actor }, actors }) => {
  const task = actors.get(actor)
  if (!task || !taskIn(task).forge.everOwnedIssue) return []
  const refused = ungranted(task, actors)
  const owned = taskIn(task).forge.issues.filter(({ state }) => state !== 'handedOver')
  const closed = refused.filter((why) => why.endsWith(byHuman))
  const isLeft = owned.length > 0 && closed.length === owned.length
  return [
    ...refused.filter((why) => !why.endsWith(byHuman)).map((why) => `merged, and ${why}`),
    ...(isLeft ? ['merged, and every issue was closed by a human'] : []),
  ]
})

const ownVoice: Judge = ({ moment }) => {
  if (moment.kind !== 'stepped' || moment.causedBy !== 'bot') return []
  const moved = kindOf(moment.actor) === 'task' && stageOf(moment.before) !== stageOf(moment.after)
  const told = sentIn(moment).some(({ to, event }) => to.startsWith('task:') && /^(approval|human)\./.test(event.type))
  return [
    ...(moved ? [`our own comment moved a Task by ${moment.event.type}`] : []),
    ...(told ? ['our own comment was told to a Task'] : []),
  ]
}

const finals: ReadonlySet<string> = new Set(['"delivered"', '"rejected"', '"failed"', '"folded"'])

const endings = onStep('task', (step, { world, history }) => {
  const { before, after, actor, timers, effects } = step
  const left = stageOf(before)
  const moved = finals.has(left) && left !== stageOf(after) ? [`${left} is left for ${stageOf(after)}`] : []
  // Once: what comes later is answered, and settles nothing.
  if (after.status !== 'done' || before?.status === 'done') return moved
  const isAlive = history.pods.some((pod) => parentOf(pod as ActorAddress) === idOf(actor))
  const keepsVolume = taskIn(after).pod.ordinal > 0 && !effects.some(({ type }) => type === 'deleteWorkspace')
  const givenBack = world.actors.channels.flatMap((channel) =>
    world.actors
      .mail(channel)
      .flatMap(({ event }) => (/^queue\.(release|withdraw)$/.test(event.type) ? event['entry'] : [])),
  )
  const mine = Object.keys(history.asked).filter(
    (entry) => entry.startsWith(`${idOf(actor)}/`) && !givenBack.includes(entry),
  )
  return [
    ...moved,
    ...timers.map((timer) => `settled with the timer ${timer}`),
    ...(isAlive ? ['settled while a pod lives'] : []),
    ...(keepsVolume ? ['settled and kept its volume'] : []),
    ...mine.map((entry) => `settled and kept the slot ${entry}`),
  ]
})

/** A folder in use may not be deleted under its pod [POD-19]. */
const volumes = onPerformed('deleteWorkspace', 'done', ({ effect, actors }) =>
  livingPods(actors, idOf(effect.actor)).map(([pod]) => `the volume of ${pod} is deleted while it lives`),
)

/** In the Task's journal by the time the pod is final, not some day. */
const notes = onStep('pod', ({ actor, after }, { world }) => {
  if (after.status !== 'done') return []
  const { turns, ordinal } = podIn(after)
  const task = world.actors.snapshot(`task:${parentOf(actor)}`)
  const isNoted = task && taskIn(task).journal.notes.some((note) => note.pod === ordinal && note.kind === 'handoff')
  return turns === 0 || isNoted ? [] : ['a pod that ran left no note']
})

const single: Judge = ({ history, past }) => {
  if (history.pods === past.pods && history.turns === past.turns) return []
  const doubled = (list: readonly string[]): boolean => {
    const parents = list.map((one) => parentOf(one as ActorAddress))
    return new Set(parents).size < parents.length
  }
  return [
    ...(doubled(history.pods) ? ['a Task has two pods'] : []),
    ...(doubled(history.turns) ? ['a pod has two turns in flight'] : []),
  ]
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
const owners: Judge = ({ moment, world }) => {
  const { channels } = world.actors
  const isQuiet = channels.every((name) => !world.actors.snapshot(name.slice(0, name.indexOf('>')) as ActorAddress))
  if (moment.kind !== 'stepped' || !isQuiet) return []
  const owned = tasksOf(world).flatMap(([, task]) => ownedBy(task))
  return owned.filter((thing, index) => owned.indexOf(thing) !== index).map((thing) => `${thing} has two owners`)
}

function tasksOf(world: Around): readonly (readonly [ActorAddress, Snapshot])[] {
  return [...world.actors.snapshots()].filter(([address]) => kindOf(address) === 'task')
}

const outcomes = onStep('task', (step, { past }) => {
  const { actor, before, after, event } = step
  if (event.type !== 'outcome') return []
  const pod = `${idOf(actor)}/${String(event['pod'])}`
  const isMoved = stageOf(before) !== stageOf(after)
  const isHeard = isMoved || answerIn(step)?.status === 200
  return [
    ...(isMoved && past.moved.includes(pod) ? ['one pod moved the stage twice'] : []),
    ...(isHeard && before && Number(event['pod']) !== taskIn(before).pod.ordinal ? ['a replaced pod was heard'] : []),
  ]
})

/** Asked of the forge, whatever the forge says to it. */
const lonelyMerge: Judge = ({ moment, history }) =>
  moment.kind === 'performed' &&
  moment.effect.type === 'mergeMergeRequest' &&
  history.pods.some((pod) => parentOf(pod as ActorAddress) === idOf(moment.effect.actor))
    ? ['its merge is asked for while a pod of the Task lives']
    : []

/** The state that each forge write belongs to. */
const home: Readonly<Record<string, string>> = {
  openMergeRequest: '{"live":{"active":{"reviewing":{"opening":"asked"}}}}',
  mergeMergeRequest: '"merging":{"asked"',
}

const outstanding = onStep('task', ({ after, outstanding: waiting }) =>
  waiting
    .filter((type) => home[type] !== undefined && !stageOf(after).includes(home[type]))
    .map((type) => `${type} waits, and the stage is ${stageOf(after)}`),
)

const stops = onStep('pod', (step, { history }) =>
  history.stopped.includes(step.actor) || step.after.status === 'done'
    ? sentIn(step)
        .filter(({ event }) => event.type === 'turn.start' && event['purpose'] === 'work')
        .map(() => 'an ordinary turn begins after the pod was told to stop')
    : [],
)

const spoken = /^(outcome$|pod\.|turn\.|note\.|agent\.)/

const parks = onStep('task', ({ before, after, event }) =>
  before && taskIn(before).stage.class === 'parked' && spoken.test(event.type) && stageOf(before) !== stageOf(after)
    ? [`${event.type} moved the park ${stageOf(before)}`]
    : [],
)

const refusals = onStep('task', (step) =>
  step.event.type === 'outcome' && answerIn(step) === undefined && step.before?.status === 'active'
    ? ['an outcome was not answered']
    : [],
)

/** They ask for no more than a trace tells. */
export const lawsOfHistories: readonly FiniteLaw<Around>[] = [
  { law: 1, says: 'no admission above the slots of a class, and none while paused or held', breaches: admission },
  { law: 1, says: 'a pod lives on a slot of its own', breaches: slotless },
  { law: 2, says: 'no merge without an accepted `approve` on exactly the merged head', breaches: verdict },
  { law: 4, says: "the bot's own comment never moves a Task", breaches: ownVoice },
  {
    law: 5,
    says: 'a final stage never changes; after `settled` no slot, timer, volume, pod',
    breaches: (seen) => [...endings(seen), ...volumes(seen)],
  },
  { law: 6, says: 'every pod that ran has a note', breaches: notes },
  { law: 7, says: 'one live pod per Task, one turn in flight per pod', breaches: single },
  { law: 7, says: 'one owner per issue and merge request', breaches: owners },
  { law: 15, says: 'at most one stage-moving outcome per pod', breaches: outcomes },
  { law: 16, says: 'no pod of the Task lives when its merge is performed', breaches: lonelyMerge },
  { law: 17, says: "an outstanding forge write's state is active", breaches: outstanding },
  { law: 18, says: 'no merge while a grant is off, or when every issue was closed by a human', breaches: merging },
  { law: 19, says: 'no ordinary turn after `pod.stop`', breaches: stops },
  { law: 20, says: 'no prompt is accepted twice', breaches: ({ moment, past }) => takenAgain(past.prompts, moment) },
  { law: 21, says: 'nothing a pod says moves a park', breaches: parks },
  {
    law: 22,
    says: 'no pod of work but for conflict, red CI or request_changes on the current head, and once for each review by a maintainer that requests changes',
    breaches: onStep('task', costsWork),
  },
  {
    law: 22,
    says: 'a new head of a reviewed merge request is reviewed, or the laps are spent, or an operator holds its Task',
    breaches: onStep('task', overlooksHead),
  },
  {
    law: 23,
    says: 'what is handed over is at every moment owned, carried, or told that nobody comes for it',
    breaches: isLost,
  },
  {
    law: 24,
    says: 'no grant and no merge of what a maintainer withdrew in any thread of its Task and no maintainer took back',
    breaches: ({ moment, history }) => overruled(history.withdrawals, moment),
  },
]

export const finiteLaws: readonly FiniteLaw[] = [
  ...lawsOfHistories,
  { law: 3, says: 'no opening while a live issue lacks its grant', breaches: opening },
  {
    law: 10,
    says: 'labels are the projection of the Issue',
    breaches: onStep('issue', (step, { history }) => mislabelled(step, history.labels)),
  },
  { law: 'answers', says: 'every outcome is answered', breaches: refusals },
  { law: 14, says: 'every deadline is the one that the tables give', breaches: overdue },
  {
    law: 25,
    says: 'an issue that comes back after its delivery has no plan, approval or grant of before',
    breaches: ({ moment, history }) => broughtAlong(history.spent, moment),
  },
  entryLaw,
  ...repeatLaws,
  mergeOrderLaw,
  ...spendingLaws,
]
