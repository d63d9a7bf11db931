/** What a refine agent sorted: issues that are over, threads that belong together, Tasks that are one (OUTCOME-REFINE, docs/contract/tools.md). */
import { effect, type EffectAction } from '../../emit.ts'
import { sequence } from '../chart.ts'
import { afterPod } from '../comments.ts'
import type { TaskContext } from '../context.ts'
import { accepted, refused, type Judge, type Judgement, type Outcome } from './judgement.ts'
import type { RefinePayload } from './payloads.ts'

function closings(context: TaskContext, { closes = [] }: RefinePayload): readonly EffectAction[] {
  return closes.map(({ repo, number, reason }) =>
    effect('closeIssue', {
      project: context.config.project,
      repository: repo,
      number,
      comment: `The platform closed this: ${reason}\n\nTo undo this, reopen it.`,
      retires: true,
    }),
  )
}

function nameOf({ repo, number, isPR }: NonNullable<RefinePayload['links']>[number]): string {
  return `${repo}${isPR === true ? '!' : '#'}${number}`
}

/** Each thread names the others; one alone has nothing to name. */
function linkComments(context: TaskContext, { links = [] }: RefinePayload): readonly EffectAction[] {
  if (links.length < 2) return []
  return links.map((link) =>
    effect('postComment', {
      project: context.config.project,
      repository: link.repo,
      number: link.number,
      on: link.isPR === true ? 'mr' : 'issue',
      body: `Related: ${links
        .filter((other) => other !== link)
        .map(nameOf)
        .join(', ')}`,
    }),
  )
}

/** A member whose agent runs is refused in the call (OUTCOME-REFINE-4); one that begins to run later refuses by itself. */
function memberFault(context: TaskContext, event: Outcome, members: readonly string[]): Judgement | null {
  if (members.includes(context.id)) return refused('conflict', 'a Task cannot fold itself', { reason: 'no-member' })
  const state = (task: string) => event.members?.find((member) => member.task === task)?.state ?? 'unknown'
  const running = members.filter((task) => state(task) === 'running')
  if (running.length > 0)
    return refused('member-running', 'a member Task has a running pod: fold it later', { members: running })
  const gone = members.filter((task) => state(task) !== 'free')
  return gone.length > 0
    ? refused('conflict', 'a member Task is not there, has ended, or is no implement Task', {
        reason: 'no-member',
        members: gone,
      })
    : null
}

export const refine: Judge = (context, event) => {
  const payload = event.payload as RefinePayload
  const namespace = context.id.slice(0, context.id.indexOf('/'))
  const named = (payload.folds ?? []).map(({ task }) => (task.includes('/') ? task : `${namespace}/${task}`))
  const members = [...new Set(named)]
  const fault = memberFault(context, event, members)
  if (fault) return fault
  const change = sequence<Outcome>(
    (now) => afterPod(now, [...closings(now, payload), ...linkComments(now, payload)]),
    () => ({ context: { forge: { folds: members.map((task) => ({ task, answer: null })) } } }),
  )(context, event)
  return accepted(context, event, { to: members.length > 0 ? 'folding' : 'delivered', change })
}
