import type { AccountReport } from '../event.ts'
import { blockNames, type Backlog, type BlockName, type ScheduleSettings } from './events.ts'

export interface Fault {
  readonly reason: string
  readonly message: string
  readonly blocks: boolean
  /** Of this one alone. */
  readonly repository?: string
}

/** One cron block, between its ticks and within a run. Times are epoch milliseconds. */
export interface Block {
  /** The schedule that `nextAt` was computed from. */
  readonly schedule: string
  readonly nextAt: number | null
  /** Why the schedule cannot be followed; empty when it can. */
  readonly refused: string
  /** Ordinal of the newest run: what each answer names. */
  readonly runs: number
  readonly startedAt: number | null
  /** When a run was last completed: `Project.status.last...`. */
  readonly last: number | null
  /** When the last Task of its own was asked for: the floor between two sessions counts from here. */
  readonly mintedAt: number | null
  /** The Task whose end the run waits for. */
  readonly task: string
  /** Tasks of runs that are over, newest last: each completes its run when it is delivered (PROJECT-STATUS-11). */
  readonly awaited: readonly string[]
  /** What the newest run could not do, for a condition; empty: nothing. */
  readonly trouble: string
}

export interface Refine {
  /** The refine Task that was minted last and has not ended; empty: none. */
  readonly task: string
  /** Prints of the issues that it was minted for. */
  readonly minted: readonly string[]
  /** Prints of the issues that the last one that ended has seen. */
  readonly seen: readonly string[]
  readonly last: number | null
}

export type Hold = 'open' | 'normalHeld' | 'allHeld'

export interface Spending {
  /** Start of the window, tokens in it, its end when that is known. */
  readonly windowStart: number | null
  readonly windowTokens: number
  readonly windowEnd: number | null
  readonly account: AccountReport | null
  /** What the queue was told. */
  readonly hold: Hold
}

/** All that a Project does by itself. */
export interface Scheduled {
  readonly settings: ScheduleSettings
  readonly blocks: { readonly [N in BlockName]: Block }
  readonly refine: Refine
  /** Merge requests by head that a sweep offered, newest last: each head once, or a Task that fails would come back for ever. */
  readonly offered: readonly string[]
  readonly spending: Spending
}

/** Plain JSON. */
export interface ProjectContext {
  /** Also the id of the Project's queue. */
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  readonly generation: number
  /** Newest generation whose checks held: behind `generation` while they run. */
  readonly checkedGeneration: number
  /** Why it is not ready; empty when it is. */
  readonly reason: string
  readonly message: string
  readonly faults: readonly Fault[]
  readonly resyncedAt: number | null
  readonly isPaused: boolean
  /** `null`: it was never applied with anything to do by itself. */
  readonly scheduled: Scheduled | null
  /** When each of its conditions came to what it is (RESOURCES-27), by type. */
  readonly since: { readonly [type: string]: number }
  /** `metadata.generation` of its resources by kind and name, as they are applied and as they were last checked. */
  readonly applied: Generations
  readonly observed: Generations
}

interface Generations {
  readonly [resource: string]: number
}

export function newProject(id: string): ProjectContext {
  return {
    id,
    at: 0,
    generation: 0,
    checkedGeneration: 0,
    reason: 'NotChecked',
    message: '',
    faults: [],
    resyncedAt: null,
    isPaused: true,
    scheduled: null,
    since: {},
    applied: {},
    observed: {},
  }
}

const newBlock: Block = {
  schedule: '',
  nextAt: null,
  refused: '',
  runs: 0,
  startedAt: null,
  last: null,
  mintedAt: null,
  task: '',
  awaited: [],
  trouble: '',
}

export function newScheduled(settings: ScheduleSettings): Scheduled {
  return {
    settings,
    blocks: Object.fromEntries(blockNames.map((name) => [name, newBlock])) as Scheduled['blocks'],
    refine: { task: '', minted: [], seen: [], last: null },
    offered: [],
    spending: { windowStart: null, windowTokens: 0, windowEnd: null, account: null, hold: 'open' },
  }
}

export function scheduleOf(context: ProjectContext, name: BlockName): string {
  return context.scheduled?.settings[name].schedule ?? ''
}

export function blockOf(context: ProjectContext, name: BlockName): Block {
  return context.scheduled?.blocks[name] ?? newBlock
}

/** What one run is called; answers to another one change nothing. */
export function runOf(context: ProjectContext, name: BlockName): string {
  return `${name}/${blockOf(context, name).runs}`
}

export function withBlock(scheduled: Scheduled, name: BlockName, patch: Partial<Block>): Scheduled {
  return { ...scheduled, blocks: { ...scheduled.blocks, [name]: { ...scheduled.blocks[name], ...patch } } }
}

/** An open issue of the lifecycle as a backlog names it. */
export type BacklogIssue = Backlog['issues'][number]

/** `reason` is empty when it is ready. */
export function isPausedOrNotReady({ isPaused, reason }: ProjectContext): boolean {
  return isPaused || reason !== ''
}
