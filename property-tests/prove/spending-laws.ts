/** The ledger's promises (LEDGER, docs/rules.md): reserve before, settle after, hold and never end. */
import { dayOf } from '../../machines/rules/spending.ts'
import type { TurnContext } from '../../machines/turn/context.ts'
import { overspent } from './book.ts'
import { sentIn, stageOf, taskIn, type Stepped } from '../machines/world/trace.ts'
import { onStep, type FiniteLaw, type Seen } from './world-model.ts'

type Judge = (step: Stepped, seen: Seen) => readonly string[]

const within: Judge = (step, { history, past }) =>
  sentIn(step)
    .filter(({ event }) => event.type === 'reservation.granted')
    .flatMap(({ to }) => {
      if (to in past.book.reserved) return ['a turn reserves twice']
      const task = history.book.reserved[to]?.task
      if (task === undefined) return ['a turn is granted what it did not ask for']
      return overspent(history.book, task).map((name) => `a turn begins beyond the limit of the ${name}`)
    })

/** Judged at the call to the wrapper: from there on tokens are used. */
const before: FiniteLaw['breaches'] = ({ moment, world, history }) => {
  if (moment.kind !== 'performed' || moment.effect.type !== 'submitTurn' || moment.result !== 'accepted') return []
  const isMetered = world.forge.project.taskConfig.tokensPerTurn !== undefined
  return !isMetered || moment.effect.actor in history.book.reserved ? [] : ['a turn begins and reserved nothing']
}

/** By whom it was heard, or for how much: null counts in full. */
const after: Judge = (step) => {
  const { ledger } = step.after.context as TurnContext
  if (ledger === undefined || step.after.status !== 'done' || step.before?.status === 'done') return []
  if (step.event.type === 'reservation.refused') return []
  const told = sentIn(step).filter(({ event }) => event.type === 'reservation.settled')
  return told.length === 1 ? [] : [`a turn ends by ${step.event.type} and settles ${told.length} times`]
}

/** Held where it was, with its reason; an ending of it is nobody's answer to a spent budget. */
const held: Judge = ({ event, before: was, after: is }) => {
  if (event.type !== 'budget.exhausted' || !was || stageOf(was) === stageOf(is)) return []
  const { class: stageClass, reason: stageReason, parkedFrom } = taskIn(is).stage
  return [
    ...(stageClass === 'terminal' ? ['a spent budget ends a Task'] : []),
    ...(stageClass === 'parked' && stageReason !== 'budget' ? [`a spent budget parks a Task by ${stageReason}`] : []),
    ...(stageClass === 'parked' && parkedFrom !== taskIn(was).stage.name ? ['a held Task forgets where it was'] : []),
  ]
}

/** What let it go on leads back to where it was, and a Task that waits for anything else stays. */
const released: Judge = ({ event, before: was, after: is }) => {
  if (event.type !== 'budget.raised' && event.type !== 'budget.renewed') return []
  if (!was || taskIn(was).stage.class !== 'parked') return []
  const { reason: stageReason, name: stage } = taskIn(was).stage
  const isMoved = taskIn(is).stage.name !== stage
  if (stageReason === 'budget')
    return isMoved && taskIn(is).stage.class === 'active' ? [] : ['a held Task is not let go on']
  return isMoved ? [`${event.type} moves a Task that waits by ${stageReason}`] : []
}

/** Whom the day's limit held, the next day calls. */
const renewed: Judge = (step, { past }) => {
  const isNewDay = past.book.day > 0 && dayOf(step.event.at) > past.book.day
  if (!isNewDay || !step.before) return []
  const { held: waiting } = step.before.context as { readonly held: readonly string[] }
  const called = sentIn(step).filter(({ event }) => event.type === 'budget.renewed')
  return waiting
    .filter((task) => !called.some(({ to }) => to === `task:${task}`))
    .map(() => 'a new day begins and a Task that the last one held is not told')
}

export const spendingLaws: readonly FiniteLaw[] = [
  { law: 'spending', says: 'spent and reserved together never exceed a limit', breaches: onStep('ledger', within) },
  { law: 'spending', says: 'a metered turn begins only with its reservation', breaches: before },
  { law: 'spending', says: 'a turn that is over is settled, once', breaches: onStep('turn', after) },
  { law: 'spending', says: 'a spent budget holds a Task and never ends it', breaches: onStep('task', held) },
  {
    law: 'spending',
    says: 'a raise or a new day lets a held Task go on where it was',
    breaches: onStep('task', released),
  },
  { law: 'spending', says: 'a new day calls whom the day held', breaches: onStep('ledger', renewed) },
]
