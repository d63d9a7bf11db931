/**
 * Every `status.stageReason` of a Task: the stage it is said of, who can move the Task from there, and what does.
 * `because` takes nothing else, and the README and `why` read this table.
 */
import type { Owner } from '../definition.ts'

interface StageReason {
  readonly stage: 'awaiting-human' | 'identity-unverified' | 'implement-declined' | 'operator-error' | 'final'
  readonly owner: Owner
  readonly unblocks: string
}

const comment = 'a comment on its issue or merge request, or `/retry` by a maintainer'
const repaired = 'an operator repairs it, then a maintainer uses `/retry`'
const ended = 'nothing: it has ended'

export const stageReasons = {
  discuss: { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'waiting-for-reply': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'no-outcome': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'not-opened': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'open-deadline': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'merge-deadline': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'merge-refused': { stage: 'awaiting-human', owner: 'human', unblocks: `the setting it names, then ${comment}` },
  withheld: {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: "a maintainer's `/approve` or approving review after the word",
  },
  'protected-paths': {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: "a maintainer's `/allow-ci-changes`, or `/retry`",
  },
  'mr-closed': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  'issue-closed': { stage: 'awaiting-human', owner: 'human', unblocks: comment },
  conflict: { stage: 'awaiting-human', owner: 'human', unblocks: 'a new head, or a comment on its merge request' },
  'ci-red': { stage: 'awaiting-human', owner: 'human', unblocks: 'a new head, or a comment on its merge request' },
  'optional-check': {
    stage: 'awaiting-human',
    owner: 'human',
    unblocks: `a maintainer's \`/approve\` on exactly the reviewed head merges it in spite of these checks; a new head, or ${comment}, goes on without`,
  },
  'stage-deadline': {
    stage: 'awaiting-human',
    owner: 'human',
    unblocks: 'the first time a comment, later `/retry` by a maintainer',
  },
  'changes-requested': {
    stage: 'awaiting-human',
    owner: 'human',
    unblocks: 'a new head or a comment on its merge request, at most five times; then `/retry` by a maintainer',
  },
  laps: { stage: 'awaiting-human', owner: 'maintainer', unblocks: '`/retry` by a maintainer' },
  'approval-revoked': {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: "a maintainer's `/approve` (GitLab: `approve`) on the issue, or `/retry`",
  },
  'needs-maintainer': {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: "a maintainer's `/approve` on exactly the reviewed head, a new head, or `/retry`",
  },
  'over-auto-approve-ceiling': {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: "a maintainer's `/approve` on exactly the reviewed head, a new head, or `/retry`",
  },
  budget: {
    stage: 'awaiting-human',
    owner: 'maintainer',
    unblocks: 'a maintainer raises its budget or uses `/retry`, or the next day begins where the day was used up',
  },
  held: {
    stage: 'awaiting-human',
    owner: 'operator',
    unblocks: '`statewright retry`, or `/retry` by a maintainer',
  },
  'fold-unanswered': {
    stage: 'awaiting-human',
    owner: 'operator',
    unblocks: 'the member Tasks that it names answer; `/retry` asks them again',
  },
  'approval-refused': {
    stage: 'identity-unverified',
    owner: 'maintainer',
    unblocks: "a maintainer's comment on the issue, or `/retry`",
  },
  declined: {
    stage: 'implement-declined',
    owner: 'maintainer',
    unblocks: '`/retry` by a maintainer on the issue starts a new Task; this one only closes',
  },
  'effect-failed': { stage: 'operator-error', owner: 'operator', unblocks: repaired },
  'turn-failed': { stage: 'operator-error', owner: 'operator', unblocks: repaired },
  unbound: {
    stage: 'operator-error',
    owner: 'operator',
    unblocks:
      'an operator sees to it that its volumes bind: in a cluster the Events of its claims name what is missing; then a maintainer uses `/retry`',
  },
  'pod-start-failed': {
    stage: 'operator-error',
    owner: 'operator',
    unblocks: 'an operator repairs what the detail names; then a maintainer uses `/retry`',
  },
  'pod-not-ending': {
    stage: 'operator-error',
    owner: 'operator',
    unblocks:
      'an operator ends the pod, or deletes its node or taints it `out-of-service`; then a maintainer uses `/retry`',
  },
  'residency-cap': { stage: 'operator-error', owner: 'operator', unblocks: '`/retry` by a maintainer' },
  rejected: { stage: 'final', owner: 'none', unblocks: ended },
  cancelled: { stage: 'final', owner: 'none', unblocks: ended },
  folded: { stage: 'final', owner: 'none', unblocks: ended },
  'taken-over': { stage: 'final', owner: 'none', unblocks: ended },
  'partly-merged': { stage: 'final', owner: 'none', unblocks: ended },
  'agent-contract-mismatch': { stage: 'final', owner: 'none', unblocks: ended },
} satisfies Readonly<Record<string, StageReason>>

export type Reason = keyof typeof stageReasons
