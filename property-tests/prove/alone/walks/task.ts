/** Ways of a Task to where it seldom comes by chance: what is counted in a row, and what takes a whole lap of work. */
import type { Walk } from '../walk.ts'
import { issue, mr, off } from '../alphabets/task.ts'
import {
  walk,
  times,
  born,
  slot,
  up,
  after,
  told,
  lost,
  gone,
  silent,
  fails,
  cannotPush,
  pushes,
  asks,
  plans,
  plansAnew,
  lib7,
  app7,
  lib9,
  ready,
  notOpened,
  merged,
  closed,
  moved,
  movedByPod,
  open,
  pending,
  red,
  yes,
  withheld,
  outcome,
  submits,
  approves,
  approvesDrafts,
  asksForChanges,
  granted,
  revoked,
  closedIssue,
  reopened,
  retried,
  held,
  refused,
  exhausted,
  onMr,
  said,
  type Word,
} from './words.ts'

const [lib1, app2] = [issue.issue, 'default/app-2']
const both = { repositories: ['lib', 'app'], issues: [issue, { ...issue, repository: 'app', number: 2, issue: app2 }] }
/** One number in both repositories. */
const twins = { ...both, issues: [issue, { ...issue, repository: 'app', issue: app2 }] }
const cron = { origin: { kind: 'cron', ref: 'x' } }

interface Work {
  readonly birth: Word
  readonly stage: string
  readonly parksBy: 'awaiting-human' | 'failed'
}

const works7: readonly Work[] = [
  { birth: born('brainstorm', cron), stage: 'brainstorming', parksBy: 'failed' },
  { birth: born('incident', cron), stage: 'investigating', parksBy: 'failed' },
  { birth: born('refine', cron), stage: 'refining', parksBy: 'failed' },
  { birth: born('implement', { issues: [issue] }), stage: 'implementing', parksBy: 'awaiting-human' },
  { birth: born('documentation', cron), stage: 'documenting', parksBy: 'awaiting-human' },
  { birth: born('upgrade', cron), stage: 'upgrading', parksBy: 'awaiting-human' },
  { birth: born('review', { mergeRequests: [mr] }), stage: 'reviewing', parksBy: 'awaiting-human' },
]
const live = (stage: string, pod: string): string => `stage.live.active.${stage} and pod.${pod}`
const parked = (park: string, pod = 'none'): string => `stage.live.parked.${park} and pod.${pod}`

/** In every stage that an agent works in. */
function inWork({ birth, stage, parksBy }: Work): readonly Walk[] {
  const begun = [birth, ...up]
  const clocked = (pod: string): string => live(`${stage}.clocked`, pod)
  const first = stage === 'implementing' ? 'implementing.fresh' : `${stage}.fresh`
  return [
    walk(live(first, 'backingOff'), birth, times(3, slot, lost)),
    walk(
      live(first, 'starting'),
      birth,
      times(3, slot, lost),
      after('respawnDelay'),
      slot,
      lost,
      after('respawnDelay'),
      slot,
    ),
    walk(clocked('backingOff'), begun, lost, times(2, slot, lost)),
    walk(clocked('working.busy'), begun, silent, silent),
    walk(clocked('working.busy'), begun, times(2, fails, after('turnDelay'))),
    walk(clocked('working.busy'), begun, silent, ready(lib7), asks),
    walk(clocked('working.busy'), begun, asks),
    walk(clocked('working.busy'), begun, ready(lib7), onMr, asks),
    walk(clocked('working.busy'), begun, ready(lib7), ready(app7), ready(lib9)),
    walk(live(`${stage}.withheld`, 'working.busy'), begun, told('model.withheld')),
    walk(clocked('working.busy'), begun, told('model.withheld'), told('model.served')),
    walk(live(`${stage}.withheld`, 'stopping'), begun, fails, told('model.withheld')),
    walk(parked('awaiting-human'), begun, exhausted, gone),
    walk(live(first, 'stopping'), begun, exhausted, retried),
    walk(parked('awaiting-human'), begun, ready(lib7), exhausted, gone),
    walk(parked('operator-error'), begun, refused, gone),
    ...(parksBy === 'failed'
      ? [walk('stage.failed and pod.stopping', begun, times(3, silent))]
      : [
          walk(parked('awaiting-human'), begun, times(3, silent), gone),
          walk(parked('awaiting-human'), begun, ready(lib7), after(`${stage}Budget`), gone),
        ]),
  ]
}

/** From a push to a merge, of what needs nobody's word. */
function toMerge(birth: Word, stage: string): readonly Walk[] {
  const submitted = (...pushed: readonly string[]) => [birth, ...up, pushes(...pushed), submits]
  const asked = (...pushed: readonly string[]) => [...submitted(...pushed), gone]
  const one = [...asked('lib'), ready(lib7), ...up]
  const two = [...asked('lib', 'app'), ready(lib7), ready(app7), ...up]
  const three = [birth, ready(lib9), ...up, pushes('lib'), submits, gone, ready(lib7), ready(lib9), ...up]
  const openedHalf = [...asked('lib', 'app'), ready(lib7), merged(lib7), ready(app7, 1), closed(app7)]
  const opening = live('reviewing.opening.asked', 'none')
  const asking = live('merging.asked.outstanding', 'none')
  const failed = [...up, submits, gone]
  const again = [...up, pushes('lib'), submits, gone, ready(lib7), ...up, approves, gone]
  const review = withheld('changes', 'lib!7/review-1')
  return [
    walk(live('reviewing.opening.settling', 'stopping'), submitted('lib')),
    walk(opening, asked('lib')),
    walk(opening, asked('lib', 'app')),
    walk(opening, asked('lib', 'app'), ready(lib7)),
    walk(opening, asked('lib', 'app'), ready(lib7), ready(app7, 1), closed(app7)),
    walk(opening, openedHalf),
    walk(opening, asked('lib', 'app'), ready(lib7), closed(lib7), ready(app7, 1), closed(app7)),
    walk(opening, asked('lib', 'app'), ready(lib7), ready(app7, 1)),
    walk(opening, asked('lib'), ready(lib9, 1)),
    walk(opening, asked('lib'), notOpened, ...failed, notOpened, ...failed),
    walk(live(`${stage}.fresh`, 'awaitingSlot'), birth, up, cannotPush, submits, gone, failed),
    walk(live('reviewing.opening.settling', 'stopping'), birth, up, cannotPush, submits, gone, failed, up, submits),
    walk(live('reviewing.opening.settling', 'stopping'), birth, up, submits, gone, failed, up, pushes('lib'), submits),
    walk(parked('awaiting-human'), asked('lib', 'app'), ready(lib7), after('openingBudget')),
    walk(parked('awaiting-human'), asked('lib'), ready(lib9, 1), closed(lib9), after('openingBudget')),
    walk(parked('awaiting-human'), openedHalf, after('openingBudget')),
    walk(live('reviewing.clocked', 'working.busy'), one),
    walk(live('reviewing.clocked', 'working.busy'), two),
    walk(live('reviewing.clocked', 'working.busy'), three),
    walk(live('merging.settling', 'stopping'), one, approves),
    walk(asking, one, approves, gone),
    walk(live('merging.asked.backingOff', 'none'), one, approves, gone, pending),
    walk(parked('awaiting-human'), one, approves, gone, withheld('withheld')),
    walk(parked('awaiting-human'), one, approves, gone, withheld('protected-paths')),
    walk(live(`${stage}.fresh`, 'awaitingSlot'), one, approves, gone, review),
    walk(asking, one, approves, gone, review, up, pushes('lib'), submits, gone, ready(lib7), up, approves, gone),
    walk(asking, one, approves, gone, times(2, red('codecov'), ...again)),
    walk(parked('awaiting-human'), one, approves, gone, times(2, red('codecov'), ...again), red('codecov')),
    walk(live('merging.settling', 'stopping'), two, approves),
    walk(asking, two, approves, gone),
    walk(asking, two, approves, gone, pending, after('mergeDelay')),
    walk(asking, one, approves, gone, times(17, pending, after('mergeDelay'))),
    walk(parked('awaiting-human'), one, approves, gone, times(17, pending, after('mergeDelay')), open('codecov')),
    walk(asking, two, approves, gone, merged(lib7)),
    walk(asking, two, approves, gone, merged(app7)),
    walk(asking, three, approves, gone),
    walk(live('merging.asked.backingOff', 'none'), three, approves, gone, pending),
    walk(parked('awaiting-human', 'stopping'), two, approves, closed(lib7)),
    walk(parked('awaiting-human', 'stopping'), three, approves, closed(lib7)),
    walk(live(`${stage}.fresh`, 'stopping'), two, asksForChanges, moved(lib7)),
    walk(live(`${stage}.fresh`, 'awaitingSlot'), two, asksForChanges, gone, merged(lib7)),
    walk(parked('awaiting-human'), one, approvesDrafts, gone),
    walk(parked('awaiting-human'), two, approvesDrafts, gone),
    walk(parked('awaiting-human'), three, approvesDrafts, gone),
    walk(live('reviewing.fresh', 'stopping'), one, approves, moved(lib7)),
  ]
}

const approved = (more: object = both): readonly Word[] => [
  born('implement', more),
  ...up,
  plans,
  outcome('approved', { plan_note_id: 'p', approving_maintainer: 'maya' }),
]
const opened = [...approved(), granted(lib1), granted(app2), pushes('lib', 'app'), submits, gone, ready(lib7)]
/** One of its two issues was closed before anybody granted it. */
const halfGranted = [
  ...approved(),
  granted(lib1),
  closedIssue(app2),
  pushes('lib', 'app'),
  submits,
  gone,
  ready(lib7),
  ready(app7),
  ...up,
]
const reviewed = [...opened, ready(app7), ...up]
const overdue = [after('implementingBudget'), gone]

/** Where an issue gates the work. */
const gated: readonly Walk[] = [
  walk(live('implementing.clocked', 'working.busy'), approved()),
  walk(live('implementing.clocked', 'working.busy'), approved(twins)),
  walk(live('implementing.clocked', 'working.idle'), approved(), silent),
  walk(live('implementing.withheld', 'working.idle'), approved(), silent, told('model.withheld')),
  walk(live('implementing.clocked', 'working.busy'), approved(), granted(lib1)),
  walk(live('implementing.clocked', 'working.busy'), approved(), granted(lib1), granted(app2)),
  walk(live('implementing.clocked', 'working.busy'), approved(), asks),
  walk(live('implementing.clocked', 'working.busy'), approved(), told('turn.accepted', { eventsUpTo: 99 }), asks),
  walk(parked('awaiting-human'), halfGranted, reopened(app2), approves, gone),
  walk(parked('awaiting-human'), halfGranted, reopened(app2), approves, gone, closedIssue(app2)),
  walk(parked('awaiting-human'), opened, revoked(lib1)),
  walk(parked('awaiting-human'), opened.slice(0, -1), revoked(lib1)),
  // First of those held: of each sort of step a few are kept, and this one alone may be taken over.
  walk(parked('awaiting-human'), born('review', { mergeRequests: [mr] }), up, held, gone),
  walk(parked('awaiting-human'), opened, ...up, held, gone),
  walk(parked('awaiting-human'), opened, closedIssue(app2), ...up, held, gone),
  walk(parked('awaiting-human'), opened, revoked(lib1), held),
  walk(parked('awaiting-human', 'stopping'), approved(), held),
  walk(parked('awaiting-human'), reviewed, approvesDrafts, gone),
  walk(parked('awaiting-human'), reviewed, approves, gone, withheld('withheld')),
  walk(parked('awaiting-human'), reviewed, approvesDrafts, gone, closedIssue(app2), reopened(app2)),
  walk(parked('awaiting-human'), born('implement', { issues: [issue] }), up, ready(lib7), overdue, onMr, up, overdue),
  walk(
    parked('awaiting-human'),
    born('implement', { issues: [issue] }),
    up,
    ready(lib7),
    overdue,
    onMr,
    up,
    overdue,
    closedIssue(lib1),
  ),
  walk(live('merging.asked.outstanding', 'none'), reviewed, closedIssue(app2), approves, gone),
  walk(live('merging.asked.outstanding', 'none'), reviewed, closedIssue(app2), approves, gone, reopened(app2)),
  walk(live('merging.settling', 'stopping'), halfGranted, approves, reopened(app2)),
  walk(parked('awaiting-human'), halfGranted, approvesDrafts, gone, reopened(app2)),
  walk(parked('awaiting-human', 'stopping'), approved(), outcome('discuss', { reason: 'r' })),
  walk(
    live('implementing.clocked', 'working.busy'),
    approved(),
    granted(lib1),
    granted(app2),
    outcome('approved', { plan_note_id: 'p' }),
  ),
  walk(live('implementing.clocked', 'working.busy'), born('implement', { issues: [issue] }), up, said('app', 1)),
  walk(live('implementing.clocked', 'working.busy'), born('implement', { issues: [issue] }), up, said('lib', 2)),
  walk(live('documenting.clocked', 'working.busy'), born('documentation', { issues: [issue] }), up),
  walk(parked('awaiting-human'), opened, revoked(lib1), granted(lib1), up, approvesDrafts, gone, closed(lib7)),
  walk(live('merging.asked.outstanding', 'none'), opened, revoked(lib1), granted(lib1), up, approves, gone),
  walk(
    live('merging.asked.outstanding', 'none'),
    opened,
    ready(app7, 1),
    closed(app7),
    revoked(lib1),
    granted(lib1),
    up,
    approves,
    gone,
    merged(lib7),
  ),
  // One is merged, and the plan of the other is not the approved one any more.
  walk(
    live('implementing.clocked', 'working.busy'),
    opened,
    ready(app7),
    up,
    asksForChanges,
    gone,
    merged(lib7),
    up,
    plansAnew,
  ),
  walk(parked('awaiting-human'), opened, told('issue.closed', { issue: lib1 }), closedIssue(app2)),
  walk(parked('identity-unverified', 'stopping'), approved(), told('approval.refused', { issue: lib1, reason: 'no' })),
  walk(
    parked('implement-declined'),
    born('implement', { issues: [issue] }),
    up,
    outcome('declined', { decline_reason: 'r' }),
    gone,
  ),
  walk(parked('operator-error'), born('implement', { issues: [issue] }), up, ready(lib7), refused, gone),
  walk(live('reviewing.clocked', 'working.idle'), reviewed, told('turn.accepted', { eventsUpTo: 99 }), asks, silent),
  walk(
    live('implementing.clocked', 'working.busy'),
    approved(),
    told('approval.commented', { issue: lib1, by: 'maya', commentId: 'c1' }),
  ),
  walk(parked('backlog-sweep'), born('implement', { issues: [issue], config: off })),
]

const toRead = born('review', { mergeRequests: [lib7, app7], repositories: ['lib', 'app'] })
/** Each at another head. */
const apart = born('review', {
  mergeRequests: [lib7, { ...app7, headSha: 'a1' }, { ...lib9, headSha: 'n1' }],
  repositories: ['lib', 'app'],
})
const changes = [...up, asksForChanges, gone]
const folding = [born('refine', cron), ...up, outcome('refine', { folds: [{ task: 'one' }, { task: 'two' }] })]

const closeFolding = told('task.close', { by: 'maya', reason: 'no' })
const refusesOne = told('fold.refused', { task: 'default/one', reason: 'member-running' })
const foldsOne = told('fold.accepted', {
  ...{ task: 'default/one', goal: 'g', priority: 30, repositories: ['lib'] },
  ...{ issues: [issue], mergeRequests: [mr] },
})

/** What others gave, and members that fold. */
const others: readonly Walk[] = [
  walk(parked('awaiting-human'), toRead, changes),
  walk(parked('awaiting-human'), toRead, changes, closed(lib7)),
  walk(parked('awaiting-human'), toRead, times(5, ...changes, moved(lib7)), changes),
  walk(parked('awaiting-human'), toRead, times(5, ...changes, onMr), changes),
  walk(live('refined', 'awaitingSlot'), born('implement')),
  walk(live('reviewing.clocked', 'working.busy'), toRead, up),
  walk(live('reviewing.clocked', 'working.busy'), apart, up),
  walk(live('merging.asked.outstanding', 'none'), toRead, up, approves, gone),
  walk(live('merging.asked.outstanding', 'none'), apart, up, approves, gone),
  walk(live('refining.folding', 'stopping'), folding),
  walk(
    live('refining.folding', 'none'),
    folding,
    gone,
    told('fold.refused', { task: 'default/one', reason: 'member-running' }),
  ),
  walk(live('refining.folding', 'none'), folding, gone, closeFolding),
  walk(live('refining.folding', 'none'), folding, gone, refusesOne, closeFolding),
  walk(live('refining.folding', 'none'), folding, gone, foldsOne, closeFolding),
  walk(live('refining.folding', 'stopping'), folding, closeFolding, foldsOne),
  walk(parked('awaiting-human'), folding, gone, foldsOne, closeFolding, after('foldWait')),
  walk(parked('awaiting-human'), folding, gone, after('foldWait')),
  walk(parked('operator-error'), folding, gone, refused),
  walk('stage.delivered and pod.stopping', born('brainstorm', cron), up, outcome('skip', { reason: 'r' })),
  walk(
    'stage.rejected and pod.stopping',
    born('brainstorm', cron),
    up,
    told('task.close', { by: 'maya', reason: 'no' }),
  ),
]

/** Checks that the forge does not require are red after two laps of work. */
function asked(...way: readonly (Word | readonly Word[])[]): readonly Word[] {
  const reviewed2 = [ready(lib7), ready(app7), ...up, approves, gone]
  const lap = [red('codecov'), ...up, pushes('lib', 'app'), submits, gone, ...reviewed2]
  return [...way.flat(), approves, gone, ...times(2, ...lap), red('codecov')]
}

const ungated = born('implement', { repositories: ['lib', 'app'] })
const askedOfTwo = asked(ungated, up, pushes('lib', 'app'), submits, gone, ready(lib7), ready(app7), up)
const askedHalf = asked(halfGranted)

/** Where the answer to that question may be yes. */
const questions: readonly Walk[] = [
  walk(parked('awaiting-human'), askedOfTwo),
  walk(parked('awaiting-human'), askedOfTwo, movedByPod(lib7)),
  walk(parked('awaiting-human'), askedOfTwo, movedByPod(app7)),
  walk(parked('awaiting-human'), askedOfTwo, closed(lib7)),
  walk(live('merging.settling', 'stopping'), askedOfTwo, onMr, up, approves),
  walk(live('merging.asked.outstanding', 'none'), askedOfTwo, yes),
  walk(live('merging.asked.outstanding', 'none'), askedOfTwo, yes, merged(lib7)),
  walk(live('merging.asked.backingOff', 'none'), askedOfTwo, yes, pending),
  walk(live('merging.settling', 'stopping'), askedOfTwo, yes, moved(lib7), up, approves),
  walk(parked('awaiting-human'), askedOfTwo, yes, after('mergingBudget')),
  walk(parked('awaiting-human'), askedHalf),
  walk(parked('awaiting-human'), askedHalf, reopened(app2)),
]

/** Where the model is withheld. */
function heldIn({ birth, stage }: Work): Walk {
  return walk(live(`${stage}.withheld`, 'working.busy'), birth, up, told('model.withheld'))
}

const heldPods: readonly Walk[] = [
  walk(live('implementing.clocked', 'working.resting'), born('implement', { issues: [issue] }), up, fails),
  walk(
    live('implementing.withheld', 'working.idle'),
    born('implement', { issues: [issue] }),
    ...[up, told('turn.accepted', { eventsUpTo: 99 }), asks, silent, told('model.withheld')],
  ),
]

export const taskWalks: readonly Walk[] = [
  ...works7.flatMap(inWork),
  ...toMerge(born('implement', { repositories: ['lib', 'app'] }), 'implementing'),
  ...toMerge(born('documentation', { ...cron, repositories: ['lib', 'app'] }), 'documenting'),
  ...toMerge(born('upgrade', { ...cron, repositories: ['lib', 'app'] }), 'upgrading'),
  ...gated,
  ...others,
  ...questions,
  ...works7.map(heldIn),
  ...heldPods,
]
