/** Generated from the machines by bin/generators/state-reasons.mjs (npm run generate). Not edited by hand. */
import type { Owner } from '../definition.ts'

interface Reason {
  readonly owner: Owner
  readonly says: string
  readonly unblocks: string
}

/** `<kind>/<state>` as the state of a machine says it of itself; `task/<park>/<reason>` as the park was entered. */
export const reasons = {
  'project/notReady': {
    owner: 'human',
    says: 'is not ready: context.reason says why',
    unblocks: 'what the reason names; checked again every 5 minutes',
  },
  'project/ready': {
    owner: 'project',
    says: 'is ready',
    unblocks: 'read back every 30 minutes',
  },
  'queue/readiness': {
    owner: 'human',
    says: 'whether the Project is ready',
    unblocks: 'its checks',
  },
  'queue/readiness.notReady': {
    owner: 'human',
    says: 'the Project is not ready',
    unblocks: 'the check that fails is repaired',
  },
  'queue/readiness.ready': {
    owner: 'human',
    says: 'the Project is ready',
    unblocks: 'nothing',
  },
  'queue/pause': {
    owner: 'human',
    says: 'whether the Project is paused',
    unblocks: 'maxConcurrentAgents',
  },
  'queue/pause.running': {
    owner: 'human',
    says: 'slots are given out',
    unblocks: 'nothing',
  },
  'queue/pause.paused': {
    owner: 'human',
    says: 'maxConcurrentAgents is 0',
    unblocks: 'a maxConcurrentAgents above 0',
  },
  'queue/budget': {
    owner: 'human',
    says: 'what the token budget lets through',
    unblocks: 'the reset of its window',
  },
  'queue/budget.open': {
    owner: 'human',
    says: 'the token budget holds nothing back',
    unblocks: 'nothing',
  },
  'queue/budget.normalHeld': {
    owner: 'human',
    says: 'only alerts are admitted: the proactive share is used up',
    unblocks: 'the reset of its window, or a higher budget',
  },
  'queue/budget.allHeld': {
    owner: 'human',
    says: 'nothing is admitted: the emergency share is used up',
    unblocks: 'the reset of its window, or a higher budget',
  },
  'task/stage': {
    owner: 'platform',
    says: 'decides what the Task is about',
    unblocks: 'its states say who',
  },
  'task/stage.live': {
    owner: 'platform',
    says: 'the Task has not ended',
    unblocks: 'its stages say who',
  },
  'task/stage.live.minted': {
    owner: 'platform',
    says: 'is being minted',
    unblocks: 'left in the same step',
  },
  'task/stage.live.active': {
    owner: 'platform',
    says: 'the Task is under way',
    unblocks: 'its stage says who',
  },
  'task/stage.live.active.refined': {
    owner: 'queue',
    says: 'waits for its first slot',
    unblocks: 'a slot of the Project becomes free',
  },
  'task/stage.live.active.brainstorming': {
    owner: 'agent',
    says: 'the agent looks for what is worth proposing',
    unblocks: 'its proposals, or that it has none',
  },
  'task/stage.live.active.brainstorming.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.brainstorming.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.investigating': {
    owner: 'agent',
    says: 'the agent finds out what an alert is about',
    unblocks: 'its issue, or that the alert was false',
  },
  'task/stage.live.active.investigating.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.investigating.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.refining': {
    owner: 'agent',
    says: 'the agent sorts what is open',
    unblocks: 'its outcome',
  },
  'task/stage.live.active.refining.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.refining.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.refining.folding': {
    owner: 'platform',
    says: 'member Tasks are folding',
    unblocks: 'they answer; after 10 minutes it is parked until they do',
  },
  'task/stage.live.active.implementing': {
    owner: 'agent',
    says: 'the agent plans, asks and writes the change',
    unblocks: 'its outcome, or a comment that answers it',
  },
  'task/stage.live.active.implementing.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.implementing.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.documenting': {
    owner: 'agent',
    says: 'the agent brings the documentation up to date',
    unblocks: 'its outcome',
  },
  'task/stage.live.active.documenting.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.documenting.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.upgrading': {
    owner: 'agent',
    says: 'the agent upgrades a dependency',
    unblocks: 'its outcome',
  },
  'task/stage.live.active.upgrading.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.upgrading.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.reviewing': {
    owner: 'agent',
    says: 'another agent reviews the heads',
    unblocks: 'its verdict',
  },
  'task/stage.live.active.reviewing.fresh': {
    owner: 'platform',
    says: 'waits for its pod to begin',
    unblocks: 'a free slot and a pod that starts',
  },
  'task/stage.live.active.reviewing.clocked': {
    owner: 'agent',
    says: 'the agent works',
    unblocks: 'its outcome; at the end of the time budget the Task is parked',
  },
  'task/stage.live.active.reviewing.opening': {
    owner: 'platform',
    says: 'turns pushed work into merge requests',
    unblocks: 'left in time: every answer moves it',
  },
  'task/stage.live.active.reviewing.opening.settling': {
    owner: 'platform',
    says: 'waits for the end of the pod that submitted',
    unblocks: 'the pod stops',
  },
  'task/stage.live.active.reviewing.opening.asked': {
    owner: 'forge',
    says: 'merge requests are being opened',
    unblocks: 'the forge answers',
  },
  'task/stage.live.active.merging': {
    owner: 'forge',
    says: 'the judged heads are being merged',
    unblocks: 'the forge merges them; parked after 6 hours',
  },
  'task/stage.live.active.merging.settling': {
    owner: 'platform',
    says: 'waits for the end of the review pod',
    unblocks: 'the pod stops',
  },
  'task/stage.live.active.merging.asked': {
    owner: 'forge',
    says: 'a merge is asked for',
    unblocks: 'the forge merges, or says why not',
  },
  'task/stage.live.active.merging.asked.outstanding': {
    owner: 'forge',
    says: 'the merge is on its way',
    unblocks: 'the forge answers',
  },
  'task/stage.live.active.merging.asked.backingOff': {
    owner: 'forge',
    says: 'checks are still running, or the forge is not ready',
    unblocks: 'asked again after 5 s to 5 min',
  },
  'task/stage.live.parked': {
    owner: 'human',
    says: 'the Task waits for a human',
    unblocks: 'its park says what for',
  },
  'task/stage.live.parked.awaiting-human': {
    owner: 'human',
    says: 'waits for a human, for the reason given',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/stage.live.parked.backlog-sweep': {
    owner: 'human',
    says: 'proposed by the platform itself',
    unblocks: 'any comment by a human, an approval, or a retry',
  },
  'task/stage.live.parked.identity-unverified': {
    owner: 'human',
    says: 'the cited approval did not hold',
    unblocks: "a maintainer's comment, or a retry",
  },
  'task/stage.live.parked.implement-declined': {
    owner: 'human',
    says: 'the agent declined',
    unblocks: 'nothing but closing it; `/retry` on the issue mints a new Task',
  },
  'task/stage.live.parked.operator-error': {
    owner: 'human',
    says: 'something outside the Task keeps failing',
    unblocks: 'a retry by a maintainer once it is repaired',
  },
  'task/pod': {
    owner: 'platform',
    says: 'keeps at most one pod for what the stage wants',
    unblocks: 'its states say who',
  },
  'task/pod.none': {
    owner: 'platform',
    says: 'no pod lives',
    unblocks: 'the stage wants one',
  },
  'task/pod.backingOff': {
    owner: 'platform',
    says: 'pods were lost in a row',
    unblocks: 'its backoff of at most 10 minutes',
  },
  'task/pod.awaitingSlot': {
    owner: 'queue',
    says: 'waits for a slot',
    unblocks: 'a slot of the Project becomes free',
  },
  'task/pod.starting': {
    owner: 'platform',
    says: 'its pod starts',
    unblocks: 'the pod works, or is final',
  },
  'task/pod.working': {
    owner: 'agent',
    says: 'the pod serves the stage',
    unblocks: 'its turns and outcomes',
  },
  'task/pod.working.busy': {
    owner: 'agent',
    says: 'a turn is asked for or running',
    unblocks: 'the turn ends',
  },
  'task/pod.working.idle': {
    owner: 'human',
    says: 'the pod idles until something happens',
    unblocks: 'a comment, an approval, or the end of its time to live',
  },
  'task/pod.working.resting': {
    owner: 'platform',
    says: 'the last turn failed and is asked again later',
    unblocks: 'its backoff, or the reset of a usage limit',
  },
  'task/pod.working.ending': {
    owner: 'platform',
    says: 'the last turn took its pod along',
    unblocks: 'the pod is final',
  },
  'task/pod.stopping': {
    owner: 'platform',
    says: 'its pod stops',
    unblocks: 'the pod is final',
  },
  'pod/new': {
    owner: 'task',
    says: 'asked for, not begun',
    unblocks: 'pod.start, in the step that creates it',
  },
  'pod/volumes': {
    owner: 'platform',
    says: 'waits for its volumes to be bound',
    unblocks: 'storage; 10 minutes end it',
  },
  'pod/alive': {
    owner: 'platform',
    says: 'lives',
    unblocks: 'TTL, hard cap or residency end it',
  },
  'pod/alive.launching': {
    owner: 'platform',
    says: 'boots',
    unblocks: 'the pod; the boot budget of 15 minutes ends it',
  },
  'pod/alive.launching.creating': {
    owner: 'platform',
    says: 'is being created',
    unblocks: 'the platform starts it',
  },
  'pod/alive.launching.booting': {
    owner: 'wrapper',
    says: 'clones and boots the agent',
    unblocks: 'the wrapper answers /readyz',
  },
  'pod/alive.launching.contract': {
    owner: 'wrapper',
    says: 'its contract version is being read',
    unblocks: 'GET /v1/session',
  },
  'pod/alive.failing': {
    owner: 'platform',
    says: 'did not boot and is being deleted',
    unblocks: 'it vanishes; asked again every 2 minutes',
  },
  'pod/alive.mismatching': {
    owner: 'platform',
    says: 'speaks another contract version and is being deleted',
    unblocks: 'it vanishes; asked again every 2 minutes',
  },
  'pod/alive.idle': {
    owner: 'task',
    says: 'waits for a turn',
    unblocks: 'the Task asks for one, or stops it; TTL hands off',
  },
  'pod/alive.busy': {
    owner: 'turn',
    says: 'works on a turn',
    unblocks: 'the turn ends; TTL drains',
  },
  'pod/alive.draining': {
    owner: 'turn',
    says: 'ends its last turn',
    unblocks: 'the turn ends; TURN_TIMEOUT abandons it',
  },
  'pod/alive.handingOff': {
    owner: 'turn',
    says: 'writes its hand-off note',
    unblocks: 'the hand-off turn ends; TURN_TIMEOUT ends it',
  },
  'pod/alive.retiring': {
    owner: 'pod',
    says: 'looks whether its hand-off note is there',
    unblocks: 'left in the same step',
  },
  'pod/alive.synthesizing': {
    owner: 'task',
    says: 'waits for its hand-off note to be written for it',
    unblocks: 'the Task writes it; asked again every minute',
  },
  'pod/alive.stopping': {
    owner: 'platform',
    says: 'is being stopped',
    unblocks: 'it vanishes; forced after 2 minutes',
  },
  'pod/alive.stopping.graceful': {
    owner: 'platform',
    says: 'stops gracefully',
    unblocks: 'it vanishes; 2 minutes',
  },
  'pod/alive.stopping.forced': {
    owner: 'platform',
    says: 'is being deleted by force',
    unblocks: 'it vanishes; asked again every 2 minutes',
  },
  'pod/alive.losing': {
    owner: 'task',
    says: 'is lost and waits for its note',
    unblocks: 'the Task writes it; asked again every minute',
  },
  'turn/new': {
    owner: 'pod',
    says: 'asked for, not begun',
    unblocks: 'turn.start, in the step that creates it',
  },
  'turn/open': {
    owner: 'wrapper',
    says: 'is under way',
    unblocks: 'its result, its pod, or turn.abandon',
  },
  'turn/open.submitting': {
    owner: 'wrapper',
    says: 'is being submitted',
    unblocks: 'the wrapper answers; the pod abandons it in time',
  },
  'turn/open.waiting': {
    owner: 'wrapper',
    says: 'another turn is live there',
    unblocks: 'that turn ends; looked at again every minute',
  },
  'turn/open.running': {
    owner: 'agent',
    says: 'works',
    unblocks: 'its result; polled every minute',
  },
  'turn/open.running.poll.beat': {
    owner: 'turn',
    says: 'reads the wrapper every minute',
    unblocks: 'the result',
  },
  'turn/open.running.watch.inFlight': {
    owner: 'agent',
    says: 'works',
    unblocks: 'its result; quiet for TURN_TIMEOUT: probed',
  },
  'turn/open.running.watch.probing': {
    owner: 'agent',
    says: 'was asked whether it still works',
    unblocks: 'activity or an answer within the grace',
  },
  'turn/open.running.watch.probing.asked': {
    owner: 'agent',
    says: 'was probed',
    unblocks: 'activity or an answer',
  },
  'turn/open.running.watch.probing.lastLook': {
    owner: 'turn',
    says: 'looks once more for an answer',
    unblocks: '10 seconds',
  },
  'turn/open.running.watch.interrupting': {
    owner: 'wrapper',
    says: 'is being interrupted',
    unblocks: 'its result; 60 seconds end it',
  },
  'turn/open.running.watch.interrupting.asked': {
    owner: 'wrapper',
    says: 'was told to interrupt',
    unblocks: 'the result',
  },
  'turn/open.running.watch.interrupting.lastLook': {
    owner: 'turn',
    says: 'looks once more for the result',
    unblocks: '10 seconds',
  },
  'issue/live': {
    owner: 'human',
    says: 'is followed',
    unblocks: 'what people do on the forge, and what its Task does',
  },
  'issue/live.observed': {
    owner: 'human',
    says: 'is not in the lifecycle',
    unblocks: 'the trigger label, by somebody the intake gate lets in',
  },
  'issue/live.refined': {
    owner: 'maintainer',
    says: 'waits for a plan and its approval',
    unblocks: "a maintainer's /approve",
  },
  'issue/live.approved': {
    owner: 'task',
    says: 'an approval stands',
    unblocks: 'the Task claims it with its plan',
  },
  'issue/live.implementing': {
    owner: 'task',
    says: 'is granted and being implemented',
    unblocks: 'the Task delivers',
  },
  'issue/live.rejected': {
    owner: 'maintainer',
    says: 'was rejected',
    unblocks: "a maintainer's /approve or /retry, or the label again",
  },
  'issue/live.closed': {
    owner: 'human',
    says: 'is closed on the forge',
    unblocks: 'it is reopened, or its Task delivers',
  },
  'issue/live.done': {
    owner: 'none',
    says: 'was delivered',
    unblocks: 'nothing: done absorbs',
  },
  'merge-request/open': {
    owner: 'task',
    says: 'is open',
    unblocks: 'a review posts its verdict; without an owner a review Task is asked for',
  },
  'merge-request/verdictPosted': {
    owner: 'task',
    says: 'has a verdict on its head',
    unblocks: 'the Task asks for the merge, or a new head voids the verdict',
  },
  'merge-request/merging': {
    owner: 'task',
    says: 'is being merged',
    unblocks: 'the forge says merged; the Task leaves after 6 hours',
  },
  'merge-request/closed': {
    owner: 'human',
    says: 'was closed unmerged',
    unblocks: 'it is reopened',
  },
  'merge-request/merged': {
    owner: 'none',
    says: 'is merged',
    unblocks: 'nothing: merged absorbs',
  },
  'ingest-job/new': {
    owner: 'platform',
    says: 'asked for, not begun',
    unblocks: 'job.created, in the step that creates it',
  },
  'ingest-job/queued': {
    owner: 'platform',
    says: 'waits for the earlier jobs of its repository',
    unblocks: 'they end',
  },
  'ingest-job/running': {
    owner: 'platform',
    says: 'stores its items',
    unblocks: 'the engine; each item ends within its tries',
  },
  'ingest-job/running.deciding': {
    owner: 'platform',
    says: 'looks at what comes next',
    unblocks: 'left in the same step',
  },
  'ingest-job/running.purging': {
    owner: 'platform',
    says: "deletes a file's earlier memories",
    unblocks: 'the store answers',
  },
  'ingest-job/running.storing': {
    owner: 'platform',
    says: 'stores an item',
    unblocks: 'the engine answers; 60 seconds end the try',
  },
  'ingest-job/running.resting': {
    owner: 'platform',
    says: 'tries an item again in a moment',
    unblocks: '5 to 10 seconds',
  },
  'task/awaiting-human/discuss': {
    owner: 'human',
    says: 'discuss',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/waiting-for-reply': {
    owner: 'human',
    says: 'waiting-for-reply',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/no-outcome': {
    owner: 'human',
    says: 'no-outcome',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/not-opened': {
    owner: 'human',
    says: 'not-opened',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/merge-deadline': {
    owner: 'human',
    says: 'merge-deadline',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/merge-refused': {
    owner: 'human',
    says: 'merge-refused',
    unblocks: 'the setting it names, then a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/mr-closed': {
    owner: 'human',
    says: 'mr-closed',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/issue-closed': {
    owner: 'human',
    says: 'issue-closed',
    unblocks: 'a comment on its issue or merge request, or a retry by a maintainer',
  },
  'task/awaiting-human/conflict': {
    owner: 'human',
    says: 'conflict',
    unblocks: 'a new head, or a comment on its merge request',
  },
  'task/awaiting-human/ci-red': {
    owner: 'human',
    says: 'ci-red',
    unblocks: 'a new head, or a comment on its merge request',
  },
  'task/awaiting-human/stage-deadline': {
    owner: 'human',
    says: 'stage-deadline',
    unblocks: 'a comment; the second one of a Task a retry by a maintainer',
  },
  'task/awaiting-human/changes-requested': {
    owner: 'human',
    says: 'changes-requested',
    unblocks: 'a new head, or a comment on its merge request, five times in all; a retry by a maintainer',
  },
  'task/awaiting-human/laps': {
    owner: 'maintainer',
    says: 'laps',
    unblocks: 'a retry by a maintainer',
  },
  'task/awaiting-human/approval-revoked': {
    owner: 'maintainer',
    says: 'approval-revoked',
    unblocks: "a maintainer's approving comment on the issue, or a retry",
  },
  'task/awaiting-human/needs-maintainer': {
    owner: 'maintainer',
    says: 'needs-maintainer',
    unblocks: "a maintainer's `/approve` on exactly the reviewed head, a new head, or a retry",
  },
  'task/awaiting-human/over-auto-approve-ceiling': {
    owner: 'maintainer',
    says: 'over-auto-approve-ceiling',
    unblocks: "a maintainer's `/approve` on exactly the reviewed head, a new head, or a retry",
  },
  'task/awaiting-human/budget': {
    owner: 'maintainer',
    says: 'budget',
    unblocks: '`/budget +N`, or a retry by a maintainer',
  },
  'task/awaiting-human/fold-unanswered': {
    owner: 'operator',
    says: 'fold-unanswered',
    unblocks: 'the answer of the member Tasks it names; a retry asks them again',
  },
  'task/identity-unverified/approval-refused': {
    owner: 'maintainer',
    says: 'approval-refused',
    unblocks: "a maintainer's comment on the issue, or a retry",
  },
  'task/implement-declined/declined': {
    owner: 'maintainer',
    says: 'declined',
    unblocks: '`/retry` on the issue mints a new Task; this one can only be closed',
  },
  'task/operator-error/effect-failed': {
    owner: 'operator',
    says: 'effect-failed',
    unblocks: 'a retry by a maintainer once it is repaired',
  },
  'task/operator-error/turn-failed': {
    owner: 'operator',
    says: 'turn-failed',
    unblocks: 'a retry by a maintainer once it is repaired',
  },
  'task/operator-error/unbound': {
    owner: 'operator',
    says: 'unbound',
    unblocks: 'a retry by a maintainer once it is repaired',
  },
  'task/operator-error/pod-start-failed': {
    owner: 'operator',
    says: 'pod-start-failed',
    unblocks: 'a retry by a maintainer once it is repaired',
  },
  'task/operator-error/residency-cap': {
    owner: 'operator',
    says: 'residency-cap',
    unblocks: 'a retry by a maintainer',
  },
} as const satisfies Readonly<Record<string, Reason>>
