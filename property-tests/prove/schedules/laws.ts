/** What no schedule and no budget may do (SCHEDULE and QUEUE, docs/rules.md; CRON and ADMISSION, docs/contract/orchestrator.md). */
import type { QueueContext } from '../../../machines/queue/context.ts'
import { blockNames, type Backlog, type BlockName, type BudgetSettings } from '../../../machines/project/events.ts'
import { sentIn, type Stepped } from '../../machines/world/trace.ts'
import { admissionBreaches } from '../laws.ts'
import { onStep as onStepOf, type FiniteLaw } from '../world-model.ts'
import { begunIn, mintsIn, offersIn, placeOf, projectIn, type Report, type ScheduleHistory } from './history.ts'
import { minute, tickMs, type ScheduleWorld } from './world.ts'

type Law = FiniteLaw<ScheduleWorld, ScheduleHistory>
const onStep = onStepOf<ScheduleWorld, ScheduleHistory>

const paused = onStep('project', (step) => {
  const { isPaused, reason } = projectIn(step.after)!
  return isPaused || reason !== '' ? begunIn(step).map((name) => `${name} begins while paused or not ready`) : []
})

function tickOf(at: number): number {
  return Math.floor(at / tickMs)
}

const once = onStep('project', (step, { past, history }) =>
  begunIn(step).flatMap((name) => {
    const [was, is] = [past.started[name], history.started[name]]
    return was !== undefined && is !== undefined && tickOf(was) === tickOf(is)
      ? [`${name} runs again before its next tick`]
      : []
  }),
)

/** Asked after anything later than the last start, the ticks between are lost. */
const unlost = onStep('project', (step, { past }) =>
  step.effects
    .filter(({ type, params }) => type === 'planTick' && params['name'] !== 'window')
    .flatMap(({ params }) => {
      const started = past.started[String(params['name']) as 'issueScan']
      return started !== undefined && Number(params['after']) > started
        ? [`${String(params['name'])}: what fell due while it ran is forgotten`]
        : []
    }),
)

const waits = /^(due|resting)$/

/** The schedule that its tick came from is the one that is given now. */
function isSameSchedule(step: Stepped, name: BlockName): boolean {
  const { settings, blocks } = projectIn(step.before)?.scheduled ?? {}
  return step.event.type !== 'project.applied' && settings?.[name].schedule === blocks?.[name].schedule
}

/** A tick that is due stays so until it runs; only another schedule makes it nobody's. */
const kept = onStep('project', (step) =>
  step.event.type === 'project.deleted'
    ? []
    : blockNames.flatMap((name) => {
        const [was, is] = [placeOf(step.before, name), placeOf(step.after, name)]
        const isLeft = waits.test(was) && !waits.test(is) && is !== 'running'
        return isLeft && isSameSchedule(step, name) ? [`${name}: a tick that was due never runs`] : []
      }),
)

function backlogOf({ event }: Stepped): Backlog | undefined {
  return event.type === 'backlog.read' ? (event['backlog'] as Backlog) : undefined
}

const caps = onStep('project', (step, { world }) => {
  const offers = sentIn(step).filter(({ event }) => event.type.endsWith('.offered')).length
  const { maxNewTasksPerSweep, maxOpenTasks } = world.around.settings
  const open = backlogOf(step)?.tasks.filter((task) => task.open).length ?? 0
  return offers > Math.max(0, Math.min(maxNewTasksPerSweep, maxOpenTasks - open))
    ? ['a sweep hands out more than fits']
    : []
})

const heads = onStep('project', (step, { past }) =>
  offersIn(step)
    .filter((offer) => past.offered.includes(offer))
    .map(() => 'a head is offered again'),
)

const refines = onStep('project', (step, { history }) =>
  mintsIn(step, 'refine').length > 0 && history.refines.length > 1 ? ['two refines live at once'] : [],
)

const floor = onStep('project', (step, { past, world }) => {
  const { minSessionIntervalMs } = world.around.settings.brainstorm
  const since = past.sessionAt === null ? Infinity : projectIn(step.after)!.at - past.sessionAt
  const isBegun = mintsIn(step, 'brainstorm').length > 0 || begunIn(step).includes('brainstorm')
  return isBegun && since < minSessionIntervalMs ? ['a session begins before the floor since the last one'] : []
})

const lanes = onStep('project', (step, { world }) => {
  const { upgrade, documentation } = world.around.settings
  const living = (kind: string): number => backlogOf(step)?.tasks.filter((task) => task.kind === kind).length ?? 0
  const isOver = (kind: string, most: number): boolean => {
    const minted = mintsIn(step, kind).length
    return minted > 1 || (minted > 0 && living(kind) >= most)
  }
  return [
    ...(isOver('upgrade', upgrade.maxOpenUpgrades) ? ['an upgrade beyond maxOpenUpgrades'] : []),
    ...(isOver('documentation', documentation.maxPerRepo) ? ['documentation beyond maxPerRepo'] : []),
  ]
})

const admission = onStep('queue', (step, { past, history }) => admissionBreaches(step, past.slots, history.slots))

type Hold = 'open' | 'normalHeld' | 'allHeld'
const severity: readonly Hold[] = ['open', 'normalHeld', 'allHeld']

function holdAt(percent: number, proactive: number, emergency: number): Hold {
  if (percent < proactive) return 'open'
  return percent >= Math.max(proactive, emergency) ? 'allHeld' : 'normalHeld'
}

/** The table of PROJECT-BUDGET once more, apart from the Project's. */
function holdBy(budget: BudgetSettings, { tokens, report }: ScheduleHistory, at: number): Hold {
  const { proactivePercent: proactive, emergencyPercent: emergency } = budget
  if (budget.mode === 'customWindow') {
    const isBounded = budget.tokenLimit > 0 && (budget.resetSchedule !== '' || budget.windowMs > 0)
    return isBounded ? holdAt((100 * tokens) / budget.tokenLimit, proactive, emergency) : 'open'
  }
  if (report === null || at > report.reportedAt + 90 * minute) return 'open'
  const of = (window: 'fiveHour' | 'weekly'): number => severity.indexOf(holdOfWindow(budget, report, window, at))
  return severity[Math.max(of('fiveHour'), of('weekly'))]!
}

function holdOfWindow(budget: BudgetSettings, report: Report, window: 'fiveHour' | 'weekly', at: number): Hold {
  const { usedPercent, resetsAt } = report[window]
  const own = budget[window]
  return holdAt(
    resetsAt <= at ? 0 : usedPercent,
    own.proactivePercent === 0 ? budget.proactivePercent : own.proactivePercent,
    own.emergencyPercent === 0 ? budget.emergencyPercent : own.emergencyPercent,
  )
}

/** Judged when something is known anew; between its own looks a budget need not notice the time. */
const looks = /^usage\.|\.budget\.|^project\.applied$|^tick\./

const holds = onStep('project', ({ before, after, event }, { past, history, world }) => {
  const { budget } = world.around.settings
  const place = placeOf(after, 'budget')
  if (!budget || !looks.test(event.type) || !/^(known|metering)$/.test(place)) return []
  const { at, scheduled } = projectIn(after)!
  // What came late says nothing.
  const isLate = event.type === 'usage.reported' && history.report === past.report
  const want = isLate ? projectIn(before)!.scheduled!.spending.hold : holdBy(budget, history, at)
  const is = scheduled!.spending.hold
  return want === is ? [] : [`the budget says ${is} where its usage says ${want}`]
})

const heard: Law['breaches'] = ({ moment, world }) => {
  if (moment.kind !== 'stepped' || world.actors.channels.length > 0) return []
  const snapshot = world.actors.snapshot('project:default/demo')
  const queue = world.actors.snapshot('queue:default/demo')
  const hold = projectIn(snapshot)?.scheduled?.spending.hold ?? 'open'
  const { budget = 'open' } = (queue?.context ?? {}) as Partial<QueueContext>
  return hold === budget ? [] : [`the budget says ${hold}, and the queue is ${budget}`]
}

/** Whoever was admitted stays so whatever is held back (QUEUE-4: a grant in flight stands). */
const spared = onStep('queue', ({ before, after, event }) => {
  if (!before || /^queue\.(release|withdraw)$/.test(event.type)) return []
  const admitted = ({ entries }: QueueContext): readonly string[] =>
    entries.filter(({ admittedAt }) => admittedAt !== null).map(({ entry }) => entry)
  const now = new Set(admitted(after.context as QueueContext))
  return admitted(before.context as QueueContext)
    .filter((entry) => !now.has(entry))
    .map(() => `${event.type} takes a slot from who has it`)
})

export const scheduleLaws: readonly Law[] = [
  { law: 1, says: 'no admission above the slots of a class, and none while paused or held', breaches: admission },
  { law: 'schedule', says: 'no run begins while paused or not ready', breaches: paused },
  { law: 'schedule', says: 'a missed tick runs once: between two runs lies a tick', breaches: once },
  { law: 'schedule', says: 'what falls due during a run follows it', breaches: unlost },
  { law: 'schedule', says: 'a tick that is due stays due', breaches: kept },
  { law: 'schedule', says: 'no sweep hands out more than maxNewTasksPerSweep, or beyond maxOpenTasks', breaches: caps },
  { law: 'schedule', says: 'a head is offered once', breaches: heads },
  { law: 'schedule', says: 'one refine lives at a time', breaches: refines },
  { law: 'schedule', says: 'between two sessions lies the floor', breaches: floor },
  { law: 'schedule', says: 'upgrades and documentation keep to their lanes', breaches: lanes },
  { law: 'budget', says: 'what is held is what the usage says', breaches: holds },
  { law: 'budget', says: 'the queue holds what the budget holds', breaches: heard },
  { law: 'budget', says: 'a hold takes no slot from who has it', breaches: spared },
]
