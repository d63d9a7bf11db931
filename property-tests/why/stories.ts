/** Stories of Tasks that together stand in every state of the table, and in every park for every reason. */
import { aMergeRequest, issueId } from '../../machines/testing/a-task.ts'
import type { AgentKind } from '../../machines/task/events.ts'
import { TaskStory } from './told.ts'

type Story = (task: TaskStory) => unknown

const plan = 'note-1'
const comment = { on: 'mr', number: 7, kind: 'mr_comment' } as const

function kindOf(kind: AgentKind): (task: TaskStory) => TaskStory {
  return (task) => task.mint({ kind, issues: [] }).running()
}

const ofReview: (task: TaskStory) => TaskStory = (task) =>
  task
    .mint({ kind: 'review', issues: [], mergeRequests: [{ ...aMergeRequest(), headBranch: 'fix', author: 'alice' }] })
    .running()

const cited: (task: TaskStory) => TaskStory = (task) =>
  task
    .mint()
    .running()
    .planned()
    .send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c-1' })
    .outcome('approved', { plan_note_id: plan })

const granted: (task: TaskStory) => TaskStory = (task) => cited(task).grant()

const opening: (task: TaskStory) => TaskStory = (task) => granted(task).submit().pushed()

const inReview: (task: TaskStory) => TaskStory = (task) => opening(task).ready().running()

const merging: (task: TaskStory) => TaskStory = (task) => inReview(task).approve().final()

/** Two repositories: one may be merged or closed while the other stands. */
const mergingTwo: (task: TaskStory) => TaskStory = (task) =>
  granted(task.mint({ repositories: ['lib', 'app'] }))
    .ended({ pushed: ['lib', 'app'] })
    .comment()
    .accepted()
    .submit({ merge_order: ['lib', 'app'] })
    .pushed(['lib', 'app'])
    .ready('lib', 'sha-1', 7)
    .ready('app', 'sha-2', 8)
    .running()
    .approve()
    .final()

const folding: (task: TaskStory) => TaskStory = (task) =>
  kindOf('refine')(task)
    .outcome('refine', { folds: [{ task: 'a' }] }, { members: [{ task: 'default/a', state: 'free' }] })
    .final()

function lostOften(task: TaskStory, times: number): TaskStory {
  for (let loss = 0; loss < times; loss += 1) {
    if (task.pod === 'backingOff') task.fire('respawnDelay')
    task.slot().final('lost')
  }
  return task
}

/** The provider withholds the model from the key: the pod stops, and the queue says why it gives no slot. */
function withoutModel(task: TaskStory): TaskStory {
  return task.send('model.withheld').failed('no_credit').final().send('model.withheld')
}

const work: Readonly<Record<string, Story>> = {
  'from the issue to the merge': (task) =>
    merging(task).mergeAnswer('mr.ciPending', { reason: 'test' }).fire('mergeDelay'),
  'two repositories': (task) => mergingTwo(task).merged('lib', 7, 'sha-1'),
  'changes are asked for': (task) => inReview(task).requestChanges().final().running(),
  'a question without an answer': (task) =>
    task.mint().running().send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended().final(),
  'a turn fails, and its agent dies': (task) =>
    task.mint().running().failed('api_error').fire('turnDelay').failed('agent_exited'),
  'pods are lost': (task) => lostOften(task.mint(), 4),
  'a member folds': folding,
  ...Object.fromEntries(
    (['brainstorm', 'incident', 'documentation', 'upgrade', 'review'] as const).map((kind) => [
      `${kind} at work`,
      kind === 'review' ? ofReview : kindOf(kind),
    ]),
  ),
  ...Object.fromEntries(
    (['brainstorm', 'incident', 'refine', 'implement', 'documentation', 'upgrade', 'review'] as const).map((kind) => [
      `${kind} without a model`,
      (task: TaskStory) => withoutModel(kind === 'review' ? ofReview(task) : kindOf(kind)(task)),
    ]),
  ),
  'documentation under review': (task) => kindOf('documentation')(task).submit().pushed().ready().running(),
  'an upgrade is minted with its slot': (task) => task.mint({ kind: 'upgrade', issues: [], entry: 'mint/1' }).works(),
}

/** By the reason that each ends in; `backlog-sweep` and the parks that end a Task's say have none. */
const parks: Readonly<Record<string, Story>> = {
  discuss: (task) => granted(task).outcome('discuss', { reason: 'which way?' }).final(),
  'waiting-for-reply': (task) => work['a question without an answer']!(task),
  'no-outcome': (task) => task.mint().running().ended().ended().ended().final(),
  'not-opened': (task) => {
    granted(task)
    for (let time = 0; time < 3; time += 1) task.submit().ended().final().running()
  },
  'open-deadline': (task) => opening(task).fire('openingBudget'),
  'merge-deadline': (task) => merging(task).fire('mergingBudget'),
  'merge-refused': (task) => merging(task).mergeAnswer('mr.mergeRefused', { reason: 'protected' }),
  withheld: (task) => merging(task).mergeAnswer('mr.mergeRefused', { cause: 'withheld', reason: 'hold' }),
  'protected-paths': (task) => merging(task).mergeAnswer('mr.mergeRefused', { cause: 'protected-paths', reason: 'ci' }),
  'mr-closed': (task) => mergingTwo(task).closed('lib', 7),
  'issue-closed': (task) => inReview(task).send('issue.closed', { issue: issueId }).final(),
  conflict: (task) => ofReview(task).approve().final().mergeAnswer('mr.conflict'),
  'optional-check': (task) => {
    const red = { optional: ['codecov'] }
    merging(task)
    for (let lap = 0; lap < 2; lap += 1) task.mergeAnswer('mr.ciRed', red).running().submitToMerge()
    return task.mergeAnswer('mr.ciRed', red)
  },
  'ci-red': (task) => ofReview(task).approve().final().mergeAnswer('mr.ciRed'),
  'stage-deadline': (task) => task.mint().running().fire('implementingBudget').final(),
  'changes-requested': (task) => ofReview(task).requestChanges().final(),
  laps: (task) => {
    ofReview(task).requestChanges().final()
    for (let lap = 1; lap <= 5; lap += 1) task.comment(comment).running().requestChanges().final()
    task.headMoved('sha-99')
  },
  'approval-revoked': (task) => inReview(task).send('approval.revoked', { issue: issueId, reason: 'hold' }).final(),
  'needs-maintainer': (task) => {
    inReview(task)
    task.approve({}, { heads: task.liveHeads({ authorMayMerge: false }) }).final()
  },
  'over-auto-approve-ceiling': (task) =>
    task
      .mint()
      .running()
      .planned()
      .grant({ self: true })
      .submit()
      .pushed()
      .ready()
      .running()
      .approve({ change_significance: 'major' })
      .final(),
  budget: (task) => granted(task).send('budget.exhausted', { detail: 'the day' }).final(),
  held: (task) => inReview(task).send('task.hold', { by: 'ada', reason: 'a look' }).final(),
  'fold-unanswered': (task) => folding(task).fire('foldWait'),
  'approval-refused': (task) => cited(task).send('approval.refused', { issue: issueId, reason: 'author' }).final(),
  declined: (task) => granted(task).outcome('declined', { decline_reason: 'no' }).final(),
  'effect-failed': (task) =>
    granted(task).send('effect.failed', { effect: 'openMergeRequest', reason: '403', key: 'k' }).final(),
  'turn-failed': (task) => {
    task.mint().running().failed('api_error').fire('turnDelay').failed('api_error').fire('turnDelay')
    task.failed('api_error').final()
  },
  unbound: (task) => task.mint().slot().final('unbound'),
  'pod-start-failed': (task) => lostOften(task.mint(), 5),
  'pod-not-ending': (task) => granted(task).send('pod.notEnding', { pod: 1, name: 'pod-1' }).final(),
  'residency-cap': (task) =>
    task
      .mint()
      .running()
      .final('gone', { residencyMs: 24 * 3_600_000 }),
  'backlog-sweep': (task) =>
    task.mint({
      issues: [{ repository: 'lib', number: 1, issue: issueId, selfProposed: true, humanCommented: false }],
      config: { autoApproveMaxSignificance: 'off' },
    }),
}

function tell(story: Story): TaskStory {
  const task = new TaskStory()
  story(task)
  return task
}

export const stories: readonly { readonly name: string; readonly task: TaskStory }[] = [
  ...Object.entries(work).map(([name, story]) => ({ name, task: tell(story) })),
  ...Object.entries(parks).map(([name, story]) => ({ name: `parked: ${name}`, task: tell(story) })),
]
