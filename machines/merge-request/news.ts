/** What the owner is told when the forge shows a merge request anew: changes only, and in the order they matter. */
import { tellTask, type EffectAction } from '../emit.ts'
import type { MergeRequestContext } from './context.ts'
import type { MergeRequestFacts } from './events.ts'

export function placeOf({ repository, number }: MergeRequestFacts): { repository: string; number: number } {
  return { repository, number }
}

export function baseOf({ base }: MergeRequestFacts): { readonly base?: string } {
  return base === undefined ? {} : { base }
}

export function stateNews(
  owner: string,
  before: MergeRequestFacts | null,
  facts: MergeRequestFacts,
): readonly EffectAction[] {
  if (owner === '') return []
  return [...endNews(owner, before, facts), ...headNews(owner, before, facts)]
}

/** Where it stands now, for an owner who may not know: an end may have come before the owner did (OWNERSHIP-3). */
export function endNews(
  owner: string,
  before: MergeRequestFacts | null,
  facts: MergeRequestFacts,
): readonly EffectAction[] {
  const place = placeOf(facts)
  if (facts.state === before?.state) return []
  if (facts.state === 'merged')
    return [tellTask(owner, { type: 'mr.merged', ...place, sha: facts.headSha, mergeCommit: facts.mergeCommit ?? '' })]
  if (facts.state === 'closed') return [tellTask(owner, { type: 'mr.closed', ...place })]
  return before ? [tellTask(owner, { type: 'mr.reopened', ...place, sha: facts.headSha, ...baseOf(facts) })] : []
}

/** A first sight tells the head too: it may have moved since the Task opened the merge request. A new base is told as a new head is (HEAD-1). */
function headNews(owner: string, before: MergeRequestFacts | null, facts: MergeRequestFacts): readonly EffectAction[] {
  const isRebased = facts.base !== undefined && before !== null && before.baseBranch !== facts.baseBranch
  const isNew = before?.headSha !== facts.headSha || isRebased
  return facts.state === 'open' && isNew ? [headMoved(owner, facts)] : []
}

export function headMoved(owner: string, facts: MergeRequestFacts): EffectAction {
  const { headSha: sha, headByBot: byOwnPod, pushedByGated: gated, pushedBy: author } = facts
  return tellTask(owner, { type: 'mr.headMoved', ...placeOf(facts), sha, ...baseOf(facts), byOwnPod, gated, author })
}

/** Red CI and a conflict are worth an agent's while only as long as no merge is asked: there the Task's merge is answered itself. */
export function checkNews(
  { owner }: MergeRequestContext,
  before: MergeRequestFacts | null,
  facts: MergeRequestFacts,
): readonly EffectAction[] {
  if (owner === '' || facts.state !== 'open') return []
  const sameHead = before?.headSha === facts.headSha
  const turnedRed = facts.ci === 'failure' && !(sameHead && before?.ci === 'failure')
  const turnedConflicting = facts.mergeable === false && before?.mergeable !== false
  return [
    ...(turnedRed ? [forgeEvent(owner, facts, 'ci', `CI failed on ${facts.headSha}`)] : []),
    ...(turnedConflicting
      ? [forgeEvent(owner, facts, 'merge_conflict', `${facts.headBranch} conflicts with ${facts.baseBranch}`)]
      : []),
  ]
}

function forgeEvent(owner: string, facts: MergeRequestFacts, kind: string, text: string): EffectAction {
  return tellTask(owner, { type: 'forge.event', ...placeOf(facts), author: '', kind, text })
}
