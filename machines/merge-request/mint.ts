import { tellQueue, type EffectAction } from '../emit.ts'
import { isTaskBranch, taskName } from '../rules/names.ts'
import type { TaskSeed } from '../task/events.ts'
import type { MergeRequestContext } from './context.ts'
import type { MergeRequestFacts } from './events.ts'

/** QUEUE-1, lower first: asked for by a person; offered by the platform's own watch. */
const priorities = { urged: 20, offered: 60 } as const

interface Minted {
  readonly context: MergeRequestContext
  readonly effects: readonly EffectAction[]
}

/** One entry at most, and only while nobody owns it: exactly one owner at every moment (LAW-7, LAW-23). */
export function withMint(context: MergeRequestContext): Minted {
  const { facts, owner, held, mint } = context
  const wants = facts !== null && facts.state === 'open' && isWanted(context, facts) && owner === '' && !held
  if (wants && !mint) return mintOf(context, facts)
  if (wants || !mint || mint.shared || !facts) return { context, effects: [] }
  return {
    context: { ...context, mint: null },
    effects: [tellQueue(facts.config.project, { type: 'queue.withdraw', entry: mint.entry })],
  }
}

function isWanted({ offered }: MergeRequestContext, { wanted, headSha }: MergeRequestFacts): boolean {
  return wanted || offered === headSha
}

/**
 * Open, and nobody looks at it: a person's merge request whose Task ended, or one that a Task of ours left behind
 * (OWNERSHIP-6). A draft is nobody's work yet.
 */
export function isUnattended({ facts, owner, mint, held, cancelled }: MergeRequestContext): boolean {
  if (facts === null || facts.state !== 'open' || facts.draft || owner !== '' || mint || !held) return false
  return (facts.wanted || isTaskBranch(facts.headBranch)) && facts.headSha !== cancelled
}

function mintOf(context: MergeRequestContext, facts: MergeRequestFacts): Minted {
  const { id, mints, urged } = context
  const task = `${id.slice(0, id.indexOf('/'))}/${taskName('review', facts.repository, facts.number, `${id}/${mints}`)}`
  const mint = { task, entry: `mint/${task}`, headSha: facts.headSha, ...namedBase(facts) }
  const priority = urged ? priorities.urged : priorities.offered
  const enqueue = tellQueue(facts.config.project, {
    type: 'queue.enqueue',
    entry: mint.entry,
    sort: 'mint',
    task,
    class: 'normal',
    priority,
    kind: 'review',
    seed: seedOf(id, facts, priority),
  })
  return { context: { ...context, mint, mints: mints + 1 }, effects: [enqueue] }
}

function namedBase({ base }: MergeRequestFacts): { readonly baseBranch?: string } {
  return base === undefined ? {} : { baseBranch: base }
}

function seedOf(id: string, facts: MergeRequestFacts, priority: number): TaskSeed {
  const { repository, number, headSha, headBranch, author, url, config } = facts
  return {
    kind: 'review',
    // A title is words of a stranger, and no part of an assignment [BUNDLE-TEXT-11].
    goal: `Review of ${repository}!${number}`,
    repositories: [repository],
    issues: [],
    mergeRequests: [{ repository, number, mergeRequest: id, headSha, headBranch, ...namedBase(facts), author, url }],
    priority,
    origin: { kind: 'webhook', ref: url },
    config,
  }
}
