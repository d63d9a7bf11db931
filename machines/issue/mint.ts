import { tellQueue, type EffectAction } from '../emit.ts'
import { taskName } from '../rules/names.ts'
import type { TaskSeed } from '../task/events.ts'
import { namespaceOf, type IssueContext } from './context.ts'
import type { IssueFacts } from './events.ts'

/** QUEUE-1, lower first: asked for by a person; labelled by one; proposed by the platform itself. */
const priorities = { urged: 20, labelled: 60, proposed: 80 } as const

interface ForgeSubject {
  readonly project: string
  readonly repository: string
  readonly number: number
}

export function forgeSubject({ project, repository, number }: IssueFacts): ForgeSubject {
  return { project, repository, number }
}

interface Minted {
  readonly context: IssueContext
  readonly effects: readonly EffectAction[]
}

/** Asks the queue for a new implement Task; it owns the issue once it is minted and says so. */
export function mintOf(context: IssueContext): Minted {
  const { facts, id, mints } = context
  if (!facts) return { context, effects: [] }
  const task = `${namespaceOf(id)}/${taskName('implement', facts.repository, facts.number, `${id}/${mints}`)}`
  const entry = `mint/${task}`
  const priority = priorityOf(context, facts)
  const enqueue = tellQueue(facts.config.project, {
    type: 'queue.enqueue',
    entry,
    sort: 'mint',
    task,
    class: 'normal',
    priority,
    kind: 'implement',
    seed: seedOf(id, facts, priority),
  })
  return { context: { ...context, mint: { task, entry }, mints: mints + 1, implementRan: false }, effects: [enqueue] }
}

/** A person spoke for it: what the priority label shows (ISSUE-7). */
export function isUrgent({ urged }: IssueContext, { humanCommented }: IssueFacts): boolean {
  return urged || humanCommented
}

function priorityOf(context: IssueContext, facts: IssueFacts): number {
  const { selfProposed } = facts
  if (isUrgent(context, facts)) return priorities.urged
  return selfProposed ? priorities.proposed : priorities.labelled
}

function seedOf(id: string, facts: IssueFacts, priority: number): TaskSeed {
  const { repository, number, title, selfProposed, humanCommented, url, config } = facts
  return {
    kind: 'implement',
    goal: `${repository}#${number}: ${title}`,
    repositories: [repository],
    issues: [{ repository, number, issue: id, selfProposed, humanCommented }],
    mergeRequests: [],
    priority,
    origin: { kind: 'webhook', ref: url },
    config,
  }
}
