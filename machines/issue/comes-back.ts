/**
 * An issue that was delivered and is not over: a maintainer's `/retry`, or the trigger label set anew by one, brings it
 * back with a new Task (ISSUE-9). Whatever else happens to it is shown that way, once for each time that it comes back.
 */
import { effect, type EffectAction } from '../emit.ts'
import type { IssueContext } from './context.ts'
import type { IssueFacts } from './events.ts'
import { forgeSubject } from './mint.ts'

interface Answer {
  readonly context?: Partial<IssueContext>
  readonly effects?: readonly EffectAction[]
}

/** A person asks for a new Task: what stopped the last one counts no longer (ISSUE-2). */
export const askedAgain = { held: false, rejected: '', urged: true } as const

const wayText =
  'This issue was delivered, so nothing starts here by itself. A maintainer starts a new Task: on the open issue with its trigger label, write a line `/retry` or set the label anew. If the issue is closed, reopen it first. The new Task makes a new plan; earlier plans and approvals do not count for it.'

function showWay({ facts, wayShown = false }: IssueContext): Answer {
  if (!facts || wayShown) return {}
  const comment = effect('postComment', { ...forgeSubject(facts), on: 'issue', body: wayText })
  return { context: { wayShown: true }, effects: [comment] }
}

/** The platform reopens nothing that it closed: that word is a person's. */
export function comeBack(context: IssueContext, at: number): Answer {
  const { facts, boundPlans } = context
  if (facts?.state !== 'open' || !facts.wanted) return showWay(context)
  const heard = [...Object.keys(boundPlans), ...facts.approvals.map(({ commentId }) => commentId)]
  const spent = Object.fromEntries(heard.map((commentId): [string, string] => [commentId, '']))
  const anew = { delivered: false, retired: false, offered: false, wayShown: false, plans: [], boundPlans: spent }
  return { context: { ...askedAgain, ...anew, cameBackAt: at } }
}

export function observeDelivered(context: IssueContext, before: IssueFacts['state'] | undefined): Answer {
  const state = context.facts?.state
  if (state === before) return {}
  return state === 'open' ? showWay(context) : { context: { wayShown: false } }
}

/** Read without markup: the answer to one within a quotation does no harm, and grants nothing. */
const retryLine = /^[ \t]*\/retry[ \t]*$/m

/** On a closed issue a `/retry` of anybody who is heard; on an open one the reopening was answered. */
export function hearDelivered(context: IssueContext, text: string): Answer {
  return retryLine.test(text) ? showWay(context) : {}
}
