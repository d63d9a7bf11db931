/** One step of a Task by its rows: both regions hear the event, then each does by itself what follows. */
import type { TaskEvent } from '../../../../machines/task/events.ts'
import type { Rows } from '../draft.ts'
import { TaskDraft } from './draft.ts'
import { enter, leave } from './entering.ts'
import { enterPod, podAlways, podMove, type Move } from './pods.ts'
import { stageAlways, stageMove, timerMove } from './stages.ts'

/** Moves inside a stage, which begin no new visit. */
function isWithin(from: string, to: string): boolean {
  const [before, after] = [from.split('.')[0], to.split('.')[0]]
  if (before !== after) return false
  return (
    before === 'merging' ||
    (before === 'reviewing' && from.startsWith('reviewing.opening')) ||
    /\.(clocked|withheld)$/.test(to)
  )
}

function take(t: TaskDraft, stage: Move, pod: Move, isOutcome: boolean): void {
  const from = t.stage
  const within = stage.to !== undefined && !isOutcome && isWithin(from, stage.to)
  if (stage.to !== undefined) leave(t, from, stage.to, within)
  stage.does?.()
  pod.does?.()
  if (stage.to !== undefined) enter(t, stage.to, within)
  if (pod.to !== undefined) enterPod(t, pod.to)
}

const timed = /^xstate\.after\.([^.]+)\./

function move(t: TaskDraft, event: TaskEvent): readonly [Move, Move] {
  const [, timer] = timed.exec(event.type) ?? []
  if (timer === undefined) return [stageMove(t, event), podMove(t, event)]
  if (timer === 'respawnDelay') return [{}, { to: 'awaitingSlot' }]
  if (timer === 'turnDelay') return [{}, { to: 'working.busy' }]
  return [timerMove(t, timer), {}]
}

const budgets: Readonly<Record<string, string>> = {
  'reviewing.opening.asked': 'openingBudget',
  'refining.folding': 'foldWait',
}

function timersOf({ stage, pod }: TaskDraft): readonly string[] {
  const [name] = stage.split('.')
  return [
    ...(stage.endsWith('.clocked') ? [`${name}Budget`] : []),
    ...(name === 'merging' ? ['mergingBudget'] : []),
    ...(stage === 'merging.asked.backingOff' ? ['mergeDelay'] : []),
    ...(budgets[stage] === undefined ? [] : [budgets[stage]]),
    ...(pod === 'backingOff' ? ['respawnDelay'] : []),
    ...(pod === 'working.resting' ? ['turnDelay'] : []),
  ]
}

const hoursOf: Readonly<Record<string, number>> = {
  brainstorming: 4,
  investigating: 4,
  refining: 2,
  implementing: 72,
  documenting: 24,
  upgrading: 24,
  reviewing: 24,
}

/** 5 s, doubled with each ask, up to 5 min; what is left of a stage's hours; the others are kept, and compared, in the context. */
function delaysOf({
  stage,
  c: {
    stage: { spentMs },
    pod: { respawnDelayMs },
    turn: { delayMs: turnDelayMs },
    forge: { mergeAsks },
  },
}: TaskDraft): Readonly<Record<string, number>> {
  const mergeDelay = Math.min(300_000, 5000 * 2 ** Math.max(0, mergeAsks - 1))
  const name = stage.split('.')[0]!
  const hours = hoursOf[name]
  const left = hours === undefined ? {} : { [`${name}Budget`]: Math.max(0, hours * 3_600_000 - spentMs) }
  return { respawnDelay: respawnDelayMs, turnDelay: turnDelayMs, mergeDelay, ...left }
}

export const taskRows: Rows = (before, event, id) => {
  const t = new TaskDraft(before, id)
  t.c.at = Math.max(t.c.at, event.at)
  const told = event as unknown as TaskEvent
  take(t, ...move(t, told), told.type === 'outcome')
  for (let round = 0; round < 20; round++) {
    const [stage, pod] = [stageAlways(t), podAlways(t)]
    if (stage.to === undefined && pod.to === undefined) break
    take(t, stage, pod, false)
  }
  return { leaves: t.leaves, context: t.c, effects: t.effects, timers: timersOf(t), delays: delaysOf(t) }
}
