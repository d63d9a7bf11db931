/**
 * LAW-20, told by what a prompt carries and not by its key, which every wrapper refuses a second time: a pod's request is
 * one turn, a pod has one hand-off, and a wrapper takes each of them once, whichever turn or key brings it.
 */
import { parentOf, sentIn, kindOf, type Moment, type Stepped } from '../world/trace.ts'

export interface Prompts {
  /** Pods that were asked for a turn and have not begun it. */
  readonly asked: readonly string[]
  /** Turns that began on a request of their own and that no wrapper took. */
  readonly begun: readonly string[]
  /** Pods that began their hand-off. */
  readonly handedOff: readonly string[]
}

export const noPrompts: Prompts = { asked: [], begun: [], handedOff: [] }

function without(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : list
}

function withOne(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list : [...list, one]
}

function podStepped(past: Prompts, step: Stepped): Prompts {
  const { actor, event, after } = step
  let { asked, begun, handedOff } = past
  if (event.type === 'turn.requested') asked = withOne(asked, actor)
  for (const { to, event: sent } of sentIn(step)) {
    if (sent.type !== 'turn.start') continue
    const isHandoff = sent['purpose'] === 'handoff'
    const isDue = isHandoff ? !handedOff.includes(actor) : asked.includes(actor)
    if (isDue) begun = withOne(begun, to)
    if (isHandoff) handedOff = withOne(handedOff, actor)
    else asked = without(asked, actor)
  }
  if (after.status !== 'done') return { asked, begun, handedOff }
  return { asked: without(asked, actor), begun, handedOff: without(handedOff, actor) }
}

/** A turn that is over may still be taken while its asking is on its way. */
function turnStepped(past: Prompts, { actor, after, outstanding }: Stepped): Prompts {
  const isOver = after.status === 'done' && !outstanding.includes('submitTurn')
  return isOver ? { ...past, begun: without(past.begun, actor) } : past
}

function taken(moment: Moment): string | undefined {
  const isTaken = moment.kind === 'performed' && moment.effect.type === 'submitTurn' && moment.result === 'accepted'
  return isTaken ? moment.effect.actor : undefined
}

export function keepPrompts(past: Prompts, moment: Moment): Prompts {
  if (moment.kind === 'stepped') {
    const kind = kindOf(moment.actor)
    if (kind === 'pod') return podStepped(past, moment)
    return kind === 'turn' ? turnStepped(past, moment) : past
  }
  const turn = taken(moment)
  return turn === undefined ? past : { ...past, begun: without(past.begun, turn) }
}

/** `past`: before the moment. */
export function takenAgain(past: Prompts, moment: Moment): readonly string[] {
  const turn = taken(moment)
  if (turn === undefined || past.begun.includes(turn)) return []
  return [`the wrapper of ${parentOf(turn as Stepped['actor'])} took a prompt that it had taken already`]
}
