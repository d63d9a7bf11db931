import type { MergeRequestContext } from '../../../../machines/merge-request/context.ts'
import type { MergeRequestFacts } from '../../../../machines/merge-request/events.ts'
import type { TimelessEvent } from '../walk.ts'

const config = {
  project: 'default/demo',
  ...{ agentPodTTLSeconds: 3600, turnTimeoutSeconds: 1800, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 3 },
  autoApproveMaxSignificance: 'minor' as const,
  ...{ model: {}, effort: {}, permissionMode: 'bypassPermissions', repositories: [{ name: 'lib', base: 'main' }] },
}

const plain: MergeRequestFacts = {
  ...{ project: 'default/demo', repository: 'lib', number: 7, state: 'open', title: 'T', author: 'rita' },
  ...{
    url: 'https://forge.test/lib/7',
    draft: false,
    headSha: 's1',
    headBranch: 'fix',
    baseBranch: 'main',
    base: 'main',
  },
  ...{ ci: 'success', mergeable: true, headByBot: false, pushedBy: 'rita', pushedByGated: true, wanted: true },
  config,
}

const variants: readonly Partial<MergeRequestFacts>[] = [
  {},
  { wanted: false },
  { wanted: false, headBranch: 'platform/x' },
  { headSha: 's2' },
  { headSha: 's2', headByBot: true },
  { headSha: 's2', pushedByGated: false },
  { draft: true },
  { baseBranch: 'next', base: 'next' },
  { ci: 'failure' },
  { ci: 'failure', headSha: 's2' },
  { mergeable: false },
  { mergeable: null },
  { state: 'closed' },
  { state: 'closed', headSha: 's2' },
  { state: 'merged', mergeCommit: 'm' },
  { config: { ...config, tokensPerTurn: 10 } },
]

export const mergeRequestBirths: readonly TimelessEvent[] = [
  ...variants.map((more) => ({ type: 'mr.observed', facts: { ...plain, ...more } })),
  { type: 'mr.owned', task: 'default/a' },
]

/** As two orchestrators tell them that work side by side. */
const told: readonly Partial<MergeRequestFacts>[] = [
  { revision: 2 },
  { revision: 1, headSha: 's2' },
  { revision: 1, draft: true },
  { revision: 1, state: 'closed' },
  { revision: 1, state: 'merged', mergeCommit: 'm' },
  { revision: 2, headSha: 's2' },
]

export function mergeRequestWords(context: object): readonly TimelessEvent[] {
  const { owner, mint, facts } = context as MergeRequestContext
  const headSha = facts?.headSha ?? 's1'
  const tasks = [...new Set([owner, mint?.task ?? '', 'default/a', 'default/z'])].filter((task) => task !== '')
  return [
    ...mergeRequestBirths,
    ...(facts
      ? [
          { type: 'mr.observed', facts: { ...facts, state: 'open' } },
          { type: 'mr.observed', facts },
          ...told.map((more) => ({ type: 'mr.observed', facts: { ...facts, ...more } })),
        ]
      : []),
    { type: 'mr.commented', commentId: 'c1', author: 'rita', maintainer: false, text: 'hm', kind: 'mr_comment' },
    { type: 'mr.event', kind: 'review', author: 'ci[bot]' },
    { type: 'mr.event', kind: 'review', author: 'ci[bot]', text: 't' },
    ...['goAhead', 'cancel', 'retry', 'takeover', 'budget'].map((command) => ({
      type: 'mr.command',
      command,
      by: 'maya',
      headSha,
    })),
    { type: 'mr.command', command: 'budget', by: 'maya', headSha, amount: 5 },
    { type: 'mr.command', command: 'goAhead', by: 'maya', headSha, kind: 'mr_review', text: 'B please' },
    { type: 'mr.offered', headSha },
    { type: 'mr.offered', headSha: 'older' },
    ...tasks.flatMap((task): readonly TimelessEvent[] => [
      { type: 'mr.owned', task },
      { type: 'mr.handedOver', task, to: 'default/heir', entry: 'mint/default/heir' },
      { type: 'mr.released', task, reason: 'because' },
      { type: 'verdict.posted', task, sha: headSha, verdict: 'approve' },
      { type: 'verdict.posted', task, sha: 'older', verdict: 'approve' },
      { type: 'merge.asked', task, sha: headSha },
      { type: 'merge.asked', task, sha: 'older' },
      { type: 'merge.left', task, reason: 'because' },
    ]),
    { type: 'effect.failed', effect: 'postComment', reason: 'no', key: 'k' },
  ]
}
