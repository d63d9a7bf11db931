/** What the people of a scenario do next, decided from the comments alone: no memory but the set of acts done. */
import type { Scenario } from './format.ts'

export interface SeenComment {
  readonly on: 'issue' | 'mergeRequest'
  readonly bot: boolean
  readonly body: string
}

export interface DueAct {
  /** Index in `scenario.humans`; the caller adds it to the done ones. */
  readonly index: number
  readonly on: 'issue' | 'mergeRequest'
  /** `maintainer`, `reporter`, `stranger` or a login. */
  readonly as: string
  readonly comment: string
}

export function dueActs(
  humans: Scenario['humans'],
  seen: readonly SeenComment[],
  done: ReadonlySet<number>,
): readonly DueAct[] {
  return humans.flatMap((act, index) => {
    if (done.has(index)) return []
    const { by = 'bot', on = 'issue', matches } = act.when.comment
    const pattern = new RegExp(matches, 'ims')
    const met = seen.some(
      (comment) =>
        comment.on === on && (by === 'anyone' || (by === 'bot') === comment.bot) && pattern.test(comment.body),
    )
    return met ? [{ index, on: act.do.on ?? on, as: act.do.as ?? 'maintainer', comment: act.do.comment }] : []
  })
}
