/** What a merge request does on events, as decisions; the table of `machine.ts` names them. */
import { decideBy, type EventOf } from '../decide.ts'
import { askToRaise, tellTask, type EffectAction } from '../emit.ts'
import type { MergeRequestContext } from './context.ts'
import type { MergeRequestEvent, MergeRequestFacts } from './events.ts'
import { isUnattended, withMint } from './mint.ts'
import { baseOf, checkNews, endNews, headMoved, placeOf, stateNews } from './news.ts'

interface Fold {
  readonly context?: Partial<MergeRequestContext>
  readonly effects?: readonly EffectAction[]
}

/** Folds one event in; what follows for the mint comes last. */
const { on } = decideBy<MergeRequestContext, MergeRequestEvent, Fold>((context, _event, fold) => {
  const { context: patch, effects = [] } = fold(context)
  const minted = withMint({ ...context, ...patch })
  return { context: minted.context, effects: [...effects, ...minted.effects] }
})

/** A verdict is on one head against one base, and never on a draft (HEAD-1). */
export function voidsVerdict(before: MergeRequestFacts | null, facts: MergeRequestFacts): boolean {
  if (facts.draft || before === null) return facts.draft
  return before.headSha !== facts.headSha || before.baseBranch !== facts.baseBranch || before.state !== facts.state
}

function observe(context: MergeRequestContext, facts: MergeRequestFacts, checks: boolean): Fold {
  const before = context.facts
  const moved = before !== null && before.headSha !== facts.headSha && !facts.headByBot && facts.pushedByGated
  const reopened = before?.state === 'closed' && facts.state === 'open'
  const verdict = voidsVerdict(before, facts) && facts.state !== 'merged' ? { verdict: null } : {}
  return {
    context: { facts, ...verdict, ...(moved || reopened ? { held: false } : {}) },
    effects: [...stateNews(context.owner, before, facts), ...(checks ? checkNews(context, before, facts) : [])],
  }
}

/** The newest owner holds: ownership moves with the message that carries it (LAW-23). */
function own(context: MergeRequestContext, { task }: EventOf<MergeRequestEvent, 'mr.owned'>): Fold {
  const { facts, mint, owner } = context
  if (task === owner) return {}
  const ended = facts ? endNews(task, { ...facts, state: 'open' }, facts) : []
  // Where the owner last saw it is not known here: the head may have moved while the word of its owner was on its way.
  const isAsMinted = mint?.task === task && mint.headSha === facts?.headSha && mint.baseBranch === facts.base
  const stale = facts?.state === 'open' && !isAsMinted ? [headMoved(task, facts)] : []
  const mine = mint?.task === task ? { mint: null } : {}
  return { context: { owner: task, held: false, verdict: null, ...mine }, effects: [...ended, ...stale] }
}

function release(context: MergeRequestContext, { task }: EventOf<MergeRequestEvent, 'mr.released'>): Fold {
  if (task === context.mint?.task) return { context: { mint: null, held: true } }
  return task === context.owner ? { context: { owner: '', held: true, urged: false, verdict: null } } : {}
}

/** Of the head that the sweep saw; what happened since needs no offer. */
function takeOffer(context: MergeRequestContext, { headSha }: EventOf<MergeRequestEvent, 'mr.offered'>): Fold {
  return isUnattended(context) && context.facts?.headSha === headSha
    ? { context: { held: false, offered: headSha } }
    : {}
}

/** It waits for the heir as for any mint of its own, and tells it then what changed meanwhile (LAW-7, LAW-23). */
function handOver(
  { owner, mints, facts }: MergeRequestContext,
  { task, to, entry }: EventOf<MergeRequestEvent, 'mr.handedOver'>,
): Fold {
  if (task !== owner) return {}
  const place = { headSha: facts?.headSha ?? '', ...(facts?.base === undefined ? {} : { baseBranch: facts.base }) }
  const mint = { task: to, entry, ...place, shared: true } as const
  return { context: { owner: '', verdict: null, mint, mints: mints + 1 } }
}

function command(context: MergeRequestContext, event: EventOf<MergeRequestEvent, 'mr.command'>): Fold {
  const { command: name, by, headSha } = event
  const { owner, facts } = context
  if (owner === '')
    return name === 'retry'
      ? { context: { held: false, urged: true } }
      : name === 'cancel'
        ? { context: { held: true, cancelled: headSha } }
        : {}
  if (name === 'budget')
    return facts ? { effects: [askToRaise(facts.config, { task: owner, by, amount: event.amount ?? 0 })] } : {}
  if (name === 'takeover')
    return facts
      ? {
          effects: [
            tellTask(owner, { type: 'takeover.accepted', ...placeOf(facts), by, commentId: event.commentId ?? '' }),
          ],
        }
      : {}
  if (name === 'cancel')
    return {
      context: { cancelled: headSha },
      effects: [tellTask(owner, { type: 'task.close', by, reason: 'cancelled' })],
    }
  if (name === 'retry') return { effects: [tellTask(owner, { type: 'task.retry', by })] }
  return facts ? { effects: [goAhead(owner, facts, event)] } : {}
}

/** With the words that it stands in: whoever waits for them reads them (OUTCOME-IMPLEMENT-20). */
function goAhead(
  owner: string,
  facts: MergeRequestFacts,
  { by, headSha, kind, text }: EventOf<MergeRequestEvent, 'mr.command'>,
): EffectAction {
  return tellTask(owner, {
    type: 'mr.goAhead',
    by,
    shas: [{ ...placeOf(facts), sha: headSha, ...baseOf(facts) }],
    ...(kind === undefined ? {} : { kind }),
    ...(text === undefined ? {} : { text }),
  })
}

function comment(
  { owner, facts }: MergeRequestContext,
  { author, maintainer, text, kind }: EventOf<MergeRequestEvent, 'mr.commented'>,
): Fold {
  if (facts === null) return {}
  if (owner === '') return { context: { held: false, urged: true } }
  return {
    effects: [
      tellTask(owner, { type: 'human.commented', ...placeOf(facts), author, kind, maintainer, on: 'mr', text }),
    ],
  }
}

function hear(
  { owner, facts }: MergeRequestContext,
  { author, kind, text }: EventOf<MergeRequestEvent, 'mr.event'>,
): Fold {
  if (owner === '' || facts === null) return {}
  return {
    effects: [
      tellTask(owner, {
        type: 'forge.event',
        ...placeOf(facts),
        author,
        kind,
        ...(text === undefined ? {} : { text }),
      }),
    ],
  }
}

export const mergeRequestActions = {
  observe: on('mr.observed', (context, { facts }) => observe(context, facts, true)),
  observeMerging: on('mr.observed', (context, { facts }) => observe(context, facts, false)),
  own: on('mr.owned', own),
  release: on('mr.released', release),
  takeOffer: on('mr.offered', takeOffer),
  handOver: on('mr.handedOver', handOver),
  command: on('mr.command', command),
  forwardComment: on('mr.commented', comment),
  forwardEvent: on('mr.event', hear),
  keepVerdict: on('verdict.posted', (_context, { task, sha, verdict: value, at }) => ({
    context: { verdict: { task, sha, value, at } },
  })),
  tellHead: on('merge.asked', ({ owner, facts }) => ({ effects: facts ? [headMoved(owner, facts)] : [] })),
  voidVerdict: on('merge.left', () => ({ context: { verdict: null } })),
}
