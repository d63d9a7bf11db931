/** What a schedule must not forget, kept apart from the Project. */
import type { ActorAddress } from '../../../machines/definition.ts'
import type { ProjectContext } from '../../../machines/project/context.ts'
import { blockNames, type BlockName } from '../../../machines/project/events.ts'
import { idOf, kindOf, sentIn, type Moment, type Snapshot, type Stepped } from '../../machines/world/trace.ts'
import { taskPast, type History } from '../history.ts'
import type { Past } from '../past.ts'

export interface Report {
  readonly reportedAt: number
  readonly fiveHour: { readonly usedPercent: number; readonly resetsAt: number }
  readonly weekly: { readonly usedPercent: number; readonly resetsAt: number }
}

export interface ScheduleHistory {
  /** What the queue was asked for and gave. */
  readonly slots: Pick<History, 'limits' | 'held' | 'asked'>
  /** Start of the newest run of each block since its schedule was given. */
  readonly started: Readonly<Partial<Record<BlockName, number>>>
  readonly offered: readonly string[]
  /** Refines that were asked for and have not ended, whether the Project knows it or not. */
  readonly refines: readonly string[]
  readonly sessionAt: number | null
  /** Tokens since the window of the budget began. */
  readonly tokens: number
  readonly report: Report | null
}

function regionsOf(snapshot: Snapshot | undefined): Readonly<Record<string, unknown>> {
  const value = snapshot?.value as { readonly scheduled?: Readonly<Record<string, unknown>> } | string | undefined
  return typeof value === 'object' ? (value.scheduled ?? {}) : {}
}

/** The state of a block or of the budget, without what is inside it. */
export function placeOf(snapshot: Snapshot | undefined, region: string): string {
  const value = regionsOf(snapshot)[region]
  return typeof value === 'string' ? value : Object.keys(value ?? {}).join()
}

export function projectIn(snapshot: Snapshot | undefined): ProjectContext | undefined {
  return snapshot?.context as ProjectContext | undefined
}

/** Blocks whose run begins in the step. */
export function begunIn({ before, after }: Stepped): readonly BlockName[] {
  return blockNames.filter((name) => {
    const was = projectIn(before)?.scheduled?.blocks[name].runs ?? 0
    return (projectIn(after)?.scheduled?.blocks[name].runs ?? 0) > was
  })
}

export function mintsIn(step: Stepped, kind: string): readonly string[] {
  return sentIn(step)
    .filter(({ event }) => event.type === 'queue.enqueue' && event['kind'] === kind)
    .map(({ event }) => String(event['task']))
}

export function offersIn(step: Stepped): readonly string[] {
  return sentIn(step)
    .filter(({ event }) => event.type === 'mr.offered')
    .map(({ to, event }) => `${to}@${String(event['headSha'])}`)
}

function remember(history: ScheduleHistory, moment: Moment): ScheduleHistory {
  if (moment.kind !== 'stepped') return history
  const kind = kindOf(moment.actor as ActorAddress)
  if (kind === 'queue') {
    const { limits, held, asked } = taskPast.remember({ ...taskPast.none, ...history.slots }, moment)
    return { ...history, slots: { limits, held, asked } }
  }
  if (kind === 'task' && moment.after.status === 'done')
    return { ...history, refines: history.refines.filter((task) => task !== idOf(moment.actor)) }
  return kind === 'project' ? projectStepped(history, moment) : history
}

function projectStepped(history: ScheduleHistory, step: Stepped): ScheduleHistory {
  const { event, before, after } = step
  const at = Math.max(projectIn(before)?.at ?? 0, event.at)
  const begun = Object.fromEntries(begunIn(step).map((name) => [name, at]))
  const kept = Object.entries(history.started).filter(([name]) => placeOf(after, name) !== 'off')
  const place = placeOf(after, 'budget')
  // The answer of its schedule bounds a window that has begun.
  const isNewWindow =
    placeOf(before, 'budget') !== place && /planning|metering|unbounded/.test(place) && !event.type.startsWith('tick.')
  const spent = event.type === 'usage.spent' ? Number(event['tokens']) : 0
  return {
    ...history,
    started: { ...Object.fromEntries(kept), ...begun },
    offered: [...history.offered, ...offersIn(step)],
    refines: [...history.refines, ...mintsIn(step, 'refine')],
    sessionAt: mintsIn(step, 'brainstorm').length > 0 ? at : history.sessionAt,
    tokens: isNewWindow ? 0 : history.tokens + spent,
    report: reportIn(history, step),
  }
}

/** The newest by its own time, whenever it came. */
function reportIn({ report }: ScheduleHistory, { event }: Stepped): Report | null {
  if (event.type !== 'usage.reported') return report
  const said = event as unknown as Report
  if (report !== null && said.reportedAt < report.reportedAt) return report
  const { reportedAt, fiveHour, weekly } = said
  return { reportedAt, fiveHour, weekly }
}

export const schedulePast: Past<ScheduleHistory> = {
  none: {
    slots: taskPast.none,
    started: {},
    offered: [],
    refines: [],
    sessionAt: null,
    tokens: 0,
    report: null,
  },
  remember,
}
