/**
 * Mutants that no step can tell from the real machine, each by its name and with why. The list is exact: one that is
 * killed all the same, and one that survives without standing here, fail the run.
 */
interface Group {
  readonly why: string
  readonly names: readonly string[]
}

const groups: readonly Group[] = [
  {
    why: 'narrows the type: the row is for that event only, or both sides of the union lead to the same',
    names: [
      "machines/project/machine.ts conjunct event.type === 'project.applied'",
      "machines/project/machine.ts conjunct event.type === 'task.ended'",
      "machines/project/block.ts conjunct is(event, 'tick.planned') || is(event, 'tick.refused')",
      "machines/project/block.ts conjunct is(event, 'backlog.read')",
      "machines/project/block.ts conjunct is(event, 'effect.failed')",
      "machines/project/block.ts conjunct is(event, 'project.resynced')",
      "machines/project/block.ts conjunct is(event, 'effect.failed') (2)",
      "machines/project/block.ts conjunct is(event, 'backlog.read') (2)",
      "machines/project/block.ts conjunct is(event, 'backlog.read') (3)",
      "machines/project/block.ts conjunct is(event, 'task.ended')",
      "machines/project/block.ts conjunct is(event, 'task.ended') (2)",
      "machines/project/blocks.ts conjunct is(event, 'backlog.read')",
      "machines/project/blocks.ts conjunct is(event, 'task.ended')",
      "machines/project/blocks.ts conjunct is(event, 'task.ended') (2)",
      "machines/project/readiness.ts conjunct event.type === 'project.checked'",
      "machines/project/readiness.ts conjunct event.type === 'effect.failed'",
      "machines/project/spending.ts conjunct is(event, 'tick.planned') || is(event, 'tick.refused')",
      "machines/project/spending.ts conjunct is(event, 'usage.reported')",
      "machines/merge-request/machine.ts conjunct event.type === 'mr.observed'",
      "machines/merge-request/machine.ts conjunct event.type === 'mr.observed' (2)",
      "machines/merge-request/machine.ts conjunct event.type === 'mr.observed' (3)",
      "machines/merge-request/machine.ts conjunct 'task' in event",
      "machines/model-key/machine.ts conjunct 'project' in event",
      "machines/model-key/machine.ts conjunct 'task' in event",
      "machines/model-key/decisions.ts conjunct event.type === 'key.withheld'",
      "machines/merge-request/machine.ts conjunct 'task' in event (2)",
      "machines/ingest-job/machine.ts conjunct event.type === 'item.stored' || event.type === 'item.failed'",
      "machines/ingest-job/machine.ts conjunct args.event.type === 'item.failed'",
      "machines/ingest-job/machine.ts conjunct event.type === 'file.purged'",
      "machines/ingest-job/machine.ts conjunct event.type === 'effect.failed'",
      "machines/ingest-job/machine.ts conjunct event.type === 'effect.failed' (2)",
      "machines/pod/machine.ts conjunct 'turn' in event",
      "machines/pod/machine.ts conjunct args.event.type === 'turn.failed'",
      "machines/pod/machine.ts conjunct event.type === 'effect.failed'",
      "machines/pod/machine.ts conjunct event.type === 'pod.session'",
      "machines/pod/machine.ts conjunct event.type === 'turn.requested'",
      "machines/pod/machine.ts conjunct event.type === 'pod.noted'",
      "machines/turn/machine.ts conjunct event.type === 'turn.activity'",
      "machines/turn/machine.ts conjunct event.type === 'effect.failed'",
      "machines/turn/machine.ts conjunct args.event.type === 'turn.result'",
      "machines/turn/machine.ts conjunct event.type === 'turn.result'",
      "machines/turn/machine.ts conjunct event.type === 'turn.start'",
      "machines/turn/machine.ts conjunct event.type === 'turn.activity' (2)",
      'machines/rules/doubts.ts conjunct command !== undefined',
      "machines/memory/machine.ts conjunct event.type === 'memory.configured'",
      "machines/memory/machine.ts conjunct event.type === 'memory.configured' (2)",
      "machines/memory/machine.ts conjunct 'run' in event",
      "machines/memory/machine.ts conjunct event.type === 'effect.failed'",
      "machines/memory-stack/machine.ts conjunct event.type === 'stack.configured'",
      "machines/memory-stack/machine.ts conjunct event.type === 'stack.configured' (2)",
      "machines/memory-stack/machine.ts conjunct event.type === 'stack.seen'",
      "machines/memory-stack/machine.ts conjunct event.type === 'stack.seen' (2)",
      "machines/memory-stack/machine.ts conjunct event.type === 'effect.failed'",
    ],
  },
  {
    why: 'lets null through to what reads it, which the type checker refuses: no program',
    names: [
      'machines/issue/decisions.ts conjunct facts',
      'machines/memory/decisions.ts conjunct before !== undefined',
      'machines/task/merging.ts conjunct checkQuestion !== null',
      'machines/task/stage/parked.ts conjunct checkQuestion !== null',
      'machines/issue/settle.ts conjunct accepted',
      'machines/issue/settle.ts conjunct grant',
      'machines/issue/settle.ts conjunct grant (2)',
      'machines/issue/settle.ts conjunct now.accepted',
      'machines/issue/settle.ts conjunct grant (4)',
      'machines/issue/settle.ts conjunct before',
      'machines/project/machine.ts conjunct context.scheduled !== null',
      'machines/project/runs.ts conjunct scheduled !== null',
      'machines/project/runs.ts conjunct scheduled !== null (2)',
      'machines/project/runs.ts conjunct scheduled',
      'machines/project/spending.ts conjunct budget !== undefined',
      'machines/merge-request/decisions.ts conjunct before !== null',
      'machines/merge-request/mint.ts conjunct facts !== null',
      'machines/task/merging.ts conjunct merging !== null',
      'machines/rules/merge-order.ts conjunct order !== null',
      'machines/rules/approval-grammar.ts conjunct lastWithdrawal',
    ],
  },
  {
    why: 'the row re-enters its own state, which `reenter` does without a target as well; or goes to the state it is in, which has nothing to enter',
    names: [
      'project.scheduled.budget.known on usage.reported: target known dropped',
      'merge-request.verdictPosted on verdict.posted: target verdictPosted dropped',
      'ingest-job.running.deciding always 3: target deciding dropped',
      'turn.open.running.watch.inFlight on turn.activity: target inFlight dropped',
    ],
  },
  {
    why: 'readiness has one set of rows for both of its states: not ready always has its reason, and ready has none',
    names: [
      'project.notReady on project.applied 0: guard false',
      'project.notReady on project.applied 0: target #project.scheduled.readiness.ready dropped',
      'project.notReady on project.applied 0: action 0 dropped',
      'project.notReady on project.applied 0: action 1 dropped',
      'project.ready on project.applied 1: guard false',
      'project.ready on project.applied 1: target #project.scheduled dropped',
      'project.ready on project.applied 1: action 0 dropped',
      'project.ready on project.applied 1: action 1 dropped',
    ],
  },
  {
    why: 'shows only where a run ends after its schedule was taken away, which the kept lives do not come to: the tests of ticks do',
    names: [
      'project.scheduled.issueScan.planning always 0: guard false',
      'project.scheduled.brainstorm.planning always 0: guard false',
      'project.scheduled.documentation.planning always 0: guard false',
      'project.scheduled.upgrade.planning always 0: guard false',
    ],
  },
  {
    why: 'takes only the time, which the next state takes as well',
    names: [
      'project.scheduled.issueScan.idle after issueScan.tick: action 0 dropped',
      'project.scheduled.documentation.idle after documentation.tick: action 0 dropped',
      'project.scheduled.upgrade.idle after upgrade.tick: action 0 dropped',
    ],
  },
  {
    why: 'nothing is known before the first report, so each one is newer',
    names: ['project.scheduled.budget.unknown on usage.reported: guard true'],
  },
  {
    why: 'nobody owns what is only observed: no single event can grant, reject or deliver it',
    names: [
      'issue.live.observed always 2: guard false',
      'issue.live.observed always 2: target implementing dropped',
      'issue.live.observed always 3: guard false',
      'issue.live.observed always 3: target rejected dropped',
      'issue.live.observed always 5: guard false',
      'issue.live.observed always 5: target done dropped',
    ],
  },
  {
    why: 'of a journal of before 2026-11-28, which names no base: its fixtures and machines/task/bases.test.ts have some',
    names: [
      'machines/merge-request/news.ts conjunct facts.base !== undefined',
      'machines/task/merge-requests.ts conjunct base !== undefined',
      'machines/task/merge-requests.ts conjunct known?.baseBranch !== undefined',
      'machines/task/merging.ts conjunct head.base !== undefined',
    ],
  },
  {
    why: 'narrows the type: nothing is greater than undefined, and a first telling has nothing before it to read',
    names: [
      'machines/issue/withdrawals.ts conjunct cameBackAt !== undefined',
      'machines/merge-request/news.ts conjunct before !== null',
      'machines/task/pending.ts conjunct baseUntold !== undefined',
    ],
  },
  {
    why: 'a turn that was asked for before the news is accepted after it: machines/task/bases.test.ts has one',
    names: ['machines/task/pending.ts conjunct baseUntold > n'],
  },
  {
    why: 'a late answer to a review-kind Task: of what changes nothing few steps are kept, and machines/task/forge.test.ts has it',
    names: ['machines/task/stage/rows.ts conjunct guard(context, event) (2)'],
  },
  {
    why: 'without the other operand both branches leave the same text',
    names: [
      'machines/issue/approval.ts conjunct known !== facts.bodyHash',
      'machines/issue/approval.ts conjunct known !== undefined',
    ],
  },
  {
    why: 'a plan has a hash, and no plan has none: nothing is equal to an empty one',
    names: ["machines/issue/approval.ts conjunct hash !== ''"],
  },
  {
    why: 'a grant that stood was granted to a claim',
    names: ['machines/issue/approval.ts conjunct claim'],
  },
  {
    why: 'nothing is rejected already: to say so again changes nothing',
    names: ["machines/issue/settle.ts conjunct rejected !== ''"],
  },
  {
    why: 'a grant is exchanged only by a new claim, in its answer; what else changes takes it back first',
    names: [
      'machines/issue/settle.ts conjunct a.bodyHash === b.bodyHash',
      'machines/issue/settle.ts conjunct a.task === b.task',
      'machines/issue/settle.ts conjunct sameGrant(before, grant)',
    ],
  },
  {
    why: 'to own an issue changes no approval of it',
    names: ['machines/issue/settle.ts conjunct !adopted'],
  },
  {
    why: 'what nobody owns and nobody wants is observed, which wants no Task',
    names: ['machines/issue/settle.ts conjunct facts?.wanted === true'],
  },
  {
    why: 'what waits for no sweep and may have a Task has its entry already',
    names: ['machines/issue/settle.ts conjunct isSwept(context)'],
  },
  {
    why: 'a row of the whole pod keeps the note as well, and what is noted is lost at once',
    names: ['pod.alive.losing on pod.noted: guard false', 'pod.alive.losing on pod.noted: target #pod.lost dropped'],
  },
  {
    why: 'asked only where a stop was not',
    names: [
      'machines/pod/machine.ts conjunct !context.stopAsked',
      'machines/pod/machine.ts conjunct !context.stopAsked (2)',
    ],
  },
  {
    why: 'where no alert fired there is no incident to ask for',
    names: ['machines/queue/machine.ts conjunct alert'],
  },
  {
    why: 'only an entry for a new Task brings a seed',
    names: ["machines/queue/machine.ts conjunct sort === 'mint'"],
  },
  {
    why: 'a merge of one that it knows leaves one merged, and of another changes nothing: nothing open and nothing merged has ended it before',
    names: [
      'task.stage.live on mr.merged 1: guard false',
      'task.stage.live on mr.merged 1: target #rejected dropped',
      'task.stage.live on mr.merged 1: action 0 dropped',
      'task.stage.live on mr.merged 1: action 1 dropped',
      'task.stage.live.active.reviewing.opening.asked on mr.merged 1: guard false',
      'task.stage.live.active.reviewing.opening.asked on mr.merged 1: target #rejected dropped',
      'task.stage.live.active.reviewing.opening.asked on mr.merged 1: action 0 dropped',
      'task.stage.live.active.reviewing.opening.asked on mr.merged 1: action 1 dropped',
      'task.stage.live.active.merging on mr.merged 1: guard false',
      'task.stage.live.active.merging on mr.merged 1: target #rejected dropped',
      'task.stage.live.active.merging on mr.merged 1: action 0 dropped',
      'task.stage.live.active.merging on mr.merged 1: action 1 dropped',
    ],
  },
  {
    why: 'a Task that merges has one open or one merged: the close of the last open one parks it',
    names: [
      'task.stage.live.active.merging on mr.ready 1: guard false',
      'task.stage.live.active.merging on mr.ready 1: target #rejected dropped',
      'task.stage.live.active.merging on mr.ready 1: action 0 dropped',
      'task.stage.live.active.merging on mr.ready 1: action 1 dropped',
    ],
  },
  {
    why: 'the last row of a decision: for every other place there is a row before it',
    names: [
      'task.stage.live.minted on task.minted 8: guard true',
      'task.stage.live.parked.awaiting-human on task.retry 7: guard true',
      'task.stage.live.parked.operator-error on task.retry 7: guard true',
    ],
  },
  {
    why: 'in each state of this stage a pod is wanted',
    names: [
      'task.stage.live.active.brainstorming on budget.exhausted: guard true',
      'task.stage.live.active.investigating on budget.exhausted: guard true',
      'task.stage.live.active.implementing on budget.exhausted: guard true',
      'task.stage.live.active.documenting on budget.exhausted: guard true',
      'task.stage.live.active.upgrading on budget.exhausted: guard true',
    ],
  },
  {
    why: 'counts the laps of a review, which has no work of its own to go back to',
    names: [
      'task.stage.live.parked.awaiting-human on human.commented 0: action 1 dropped',
      'task.stage.live.parked.awaiting-human on human.commented 1: action 1 dropped',
      'task.stage.live.parked.awaiting-human on human.commented 2: action 1 dropped',
      'task.stage.live.parked.awaiting-human on mr.goAhead 4: action 1 dropped',
      'task.stage.live.parked.awaiting-human on mr.goAhead 5: action 1 dropped',
      'task.stage.live.parked.awaiting-human on mr.goAhead 6: action 1 dropped',
    ],
  },
  {
    why: 'goes to the state that it is in, without entering it anew',
    names: ['task.stage.live.parked.awaiting-human on issue.closed 1: target #awaiting-human dropped'],
  },
  {
    why: 'it merges by a verdict, and what takes the verdict back leaves the stage',
    names: ['machines/task/queries.ts conjunct heads !== null'],
  },
  {
    why: 'a stage that wants no pod is a new visit, for which none was started',
    names: ['machines/task/queries.ts conjunct context.stage.wants !== null'],
  },
  {
    why: 'who waits for a slot has no pod',
    names: ['machines/task/pods.ts conjunct !context.pod.alive'],
  },
  {
    why: 'a pod that works has set the count of failed starts back',
    names: ['machines/task/pods.ts conjunct !context.pod.worked'],
  },
  {
    why: 'what has ended wants no pod',
    names: ["machines/task/folds.ts conjunct context.stage.class === 'active'"],
  },
  {
    why: 'an answer that nobody waits for changes nothing, and a Task whose folds are all answered has ended',
    names: [
      'machines/task/folds.ts conjunct task === event.task',
      'machines/task/folds.ts conjunct answer === null',
      'machines/task/folds.ts conjunct answer',
    ],
  },
  {
    why: 'only open ones are among the heads of a call',
    names: ["machines/task/outcome/review.ts conjunct mr.state === 'open'"],
  },
  {
    why: 'that none is open is judged by the rows before it',
    names: ['machines/task/stage/active.ts conjunct hasOpenMergeRequest(after(context))'],
  },
  {
    why: 'a status without a label has no name of one',
    names: ['machines/rules/labels.ts conjunct phase'],
  },
  {
    why: 'comment-text.test.ts breaks without it; the rows here are sentences without markup',
    names: [
      'machines/rules/gitlab-markdown.ts conjunct !state.isEmpty(line)',
      'machines/rules/gitlab-markdown.ts conjunct state.sCount[line] < state.blkIndent',
      "machines/rules/markdown-doubts.ts conjunct isQuote(lines[at - 1] ?? '')",
      'machines/rules/markdown-doubts.ts conjunct !isQuote(line)',
    ],
  },
  {
    why: 'the law of words breaks without it (property-tests/words); the rows here are sentences without markup',
    names: [
      'machines/rules/shown-lines.ts conjunct element.sourceCodeLocation?.endTag',
      "machines/rules/shown-lines.ts conjunct !attrs.some(({ name }) => name === 'open')",
      'machines/rules/doubts.ts conjunct stoppingCommands.includes(command)',
      'machines/rules/approval-grammar.ts conjunct from < end',
      'machines/rules/approval-grammar.ts conjunct end > from',
    ],
  },
  {
    why: 'what stands before a quote within an alert is then heard twice, and says the same',
    names: ['machines/rules/markdown-doubts.ts conjunct depth === 0'],
  },
  {
    why: 'off is no level, and so lies below each',
    names: ["machines/rules/significance.ts conjunct ceiling !== 'off'"],
  },
]

export const survivors: ReadonlyMap<string, string> = new Map(
  groups.flatMap(({ why, names }) => names.map((name): [string, string] => [name, why])),
)

export function reasonFor({ name }: { readonly name: string }): string | undefined {
  return survivors.get(name)
}
