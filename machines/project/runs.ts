/** What a run of a cron block does at each of its steps, as decisions; `block.ts` has the table. */
import { effect, tellIssue, tellMergeRequest } from '../emit.ts'
import {
  blockOf,
  runOf,
  scheduleOf,
  withBlock,
  type Block,
  type ProjectContext,
  type Refine,
  type Scheduled,
} from './context.ts'
import type { Does } from './decide.ts'
import type { Backlog, BlockName } from './events.ts'
import { mintBrainstorm, mintDocumentation, mintRefine, mintUpgrade, type Minted } from './mints.ts'
import { chooseOffers, mayUpgrade, needsRefine, offerName, proposalRoom, toDocument } from './sweep.ts'

/** Heads that were offered: far more than a Project has open at once. */
const maxOffered = 500

function patched(context: ProjectContext, name: BlockName, patch: Partial<Block>): Does {
  return context.scheduled === null ? {} : { context: { scheduled: withBlock(context.scheduled, name, patch) } }
}

/**
 * Asked after the start of the newest run: a tick that came while it ran lies in the past then, and runs once. Ticks
 * missed while paused or down lie before that start, and the one that is due stands for all of them.
 */
export function planTick(context: ProjectContext, name: BlockName): Does {
  const schedule = scheduleOf(context, name)
  const block = blockOf(context, name)
  const after = block.schedule === schedule ? (block.startedAt ?? context.at) : context.at
  const { context: patch } = patched(context, name, { schedule, nextAt: null, refused: '' })
  const asks = schedule === '' ? [] : [effect('planTick', { project: context.id, name, schedule, after })]
  return { ...(patch ? { context: patch } : {}), effects: asks }
}

export function keepTick(context: ProjectContext, name: BlockName, next: number): Does {
  return patched(context, name, { nextAt: next })
}

export function keepRefusal(context: ProjectContext, name: BlockName, reason: string): Does {
  return patched(context, name, { schedule: scheduleOf(context, name), nextAt: null, refused: reason })
}

export function forgetTick(context: ProjectContext, name: BlockName): Does {
  return patched(context, name, { schedule: '', nextAt: null, refused: '', startedAt: null })
}

export function begin(context: ProjectContext, name: BlockName): Does {
  return patched(context, name, { runs: blockOf(context, name).runs + 1, startedAt: context.at, task: '', trouble: '' })
}

export function refresh(context: ProjectContext, name: BlockName): Does {
  return { effects: [effect('resyncMirror', { project: context.id, run: runOf(context, name) })] }
}

export function readBacklog(context: ProjectContext, name: BlockName): Does {
  return { effects: [effect('readBacklog', { project: context.id, run: runOf(context, name) })] }
}

export function noteTrouble(context: ProjectContext, name: BlockName, trouble: string): Does {
  return patched(context, name, { trouble })
}

/** One at a time: a block that begins while another's refine runs waits for the same. */
export function refineFirst(context: ProjectContext, name: BlockName, backlog: Backlog): Does {
  const { scheduled } = context
  if (scheduled === null || isRefining(scheduled, backlog)) return {}
  const { task, effect: enqueue } = mintRefine(context, name, backlog)
  const minted = backlog.issues.map(({ print }) => print)
  return { context: { scheduled: { ...scheduled, refine: { ...scheduled.refine, task, minted } } }, effects: [enqueue] }
}

function isRefining({ refine }: Scheduled, { tasks }: Backlog): boolean {
  return tasks.some(({ task }) => task === refine.task)
}

export function wantsRefine({ scheduled }: ProjectContext, backlog: Backlog): boolean {
  return scheduled !== null && needsRefine(scheduled.refine.seen, backlog)
}

/** Whatever it came to: one that failed on these issues would fail on them again. They are refined once they change. */
export function endRefine({ at, scheduled }: ProjectContext, stage: string): Does {
  if (scheduled === null) return {}
  const { minted, last } = scheduled.refine
  const refine: Refine = { task: '', minted: [], seen: minted, last: stage === 'delivered' ? at : last }
  return { context: { scheduled: { ...scheduled, refine } } }
}

/** Nothing changed: as good as done (SCHEDULE-7). */
export function skipRefine({ at, scheduled }: ProjectContext): Does {
  return scheduled === null
    ? {}
    : { context: { scheduled: { ...scheduled, refine: { ...scheduled.refine, last: at } } } }
}

export function finish(context: ProjectContext, name: BlockName): Does {
  return patched(context, name, { last: context.at, task: '' })
}

/** The sweep's last two steps in one: new Tasks within their caps, then open merge requests that nobody looks at. */
export function handOut(context: ProjectContext, backlog: Backlog): Does {
  const { scheduled, at } = context
  if (scheduled === null) return {}
  const { issues, mergeRequests } = chooseOffers(scheduled.settings, backlog, scheduled.offered)
  const offered = [...scheduled.offered, ...mergeRequests.map(offerName)].slice(-maxOffered)
  return {
    context: { scheduled: withBlock({ ...scheduled, offered }, 'issueScan', { last: at }) },
    effects: [
      ...issues.map((issue) => tellIssue(issue, { type: 'issue.offered' })),
      ...mergeRequests.map(({ mergeRequest, headSha }) =>
        tellMergeRequest(mergeRequest, { type: 'mr.offered', headSha }),
      ),
    ],
  }
}

export function hasProposalRoom({ scheduled }: ProjectContext, backlog: Backlog): boolean {
  return scheduled !== null && proposalRoom(scheduled.settings.brainstorm.targetOpenProposals, backlog) > 0
}

export function startSession(context: ProjectContext, backlog: Backlog): Does {
  return asked(context, 'brainstorm', mintBrainstorm(context, backlog))
}

export function document(context: ProjectContext, backlog: Backlog): Does {
  const { scheduled } = context
  const repository = scheduled && toDocument(scheduled.settings.documentation.maxPerRepo, backlog)
  if (!repository) {
    const trouble = backlog.documentation === undefined ? 'documentation.repo is not enrolled as a Repository' : ''
    return patched(context, 'documentation', { trouble })
  }
  return handedOver(context, 'documentation', mintDocumentation(context, backlog, repository))
}

export function upgrade(context: ProjectContext, backlog: Backlog): Does {
  const { scheduled } = context
  if (scheduled === null || !mayUpgrade(scheduled.settings.upgrade.maxOpenUpgrades, backlog.tasks)) return {}
  return handedOver(context, 'upgrade', mintUpgrade(context, backlog))
}

function asked(context: ProjectContext, name: BlockName, { task, effect: enqueue }: Minted): Does {
  return { ...patched(context, name, { task, mintedAt: context.at }), effects: [enqueue] }
}

/** Far more than live at once: the end of one that never became a Task is not told. */
const maxAwaited = 50

/** The run is over. Its Task is the queue's from here: caps hold it back from the next run, and its end completes the run. */
function handedOver(context: ProjectContext, name: BlockName, { task, effect: enqueue }: Minted): Does {
  const awaited = [...blockOf(context, name).awaited, task].slice(-maxAwaited)
  return { ...patched(context, name, { mintedAt: context.at, awaited }), effects: [enqueue] }
}

export function isAwaited(context: ProjectContext, name: BlockName, task: string): boolean {
  return blockOf(context, name).awaited.includes(task)
}

/** Delivered, its Task completes the run (PROJECT-STATUS-11); another end is what the run could not do. */
export function endAwaited(context: ProjectContext, name: BlockName, ended: EndedTask): Does {
  const awaited = blockOf(context, name).awaited.filter((task) => task !== ended.task)
  const outcome = ended.stage === 'delivered' ? { last: context.at } : { trouble: troubleOf(ended) }
  return patched(context, name, { awaited, ...outcome })
}

interface EndedTask {
  readonly task: string
  readonly stage: string
  readonly reason: string
}

export function troubleOf({ stage, reason }: Pick<EndedTask, 'stage' | 'reason'>): string {
  return `its Task ended ${stage}: ${reason}`
}

/** What is left of the floor between two sessions: a rate limit, never a suppressor. */
export function floorLeft(context: ProjectContext): number {
  const { mintedAt } = blockOf(context, 'brainstorm')
  const floor = context.scheduled?.settings.brainstorm.minSessionIntervalMs ?? 0
  return mintedAt === null ? 0 : Math.max(0, mintedAt + floor - context.at)
}

export function tickIn(context: ProjectContext, name: BlockName): number {
  return Math.max(0, (blockOf(context, name).nextAt ?? context.at) - context.at)
}
