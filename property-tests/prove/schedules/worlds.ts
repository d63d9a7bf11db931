/** Worlds of a Project and its queue alone: what is scheduled, and what the token budget holds back. */
import { settingsWith } from '../../../machines/testing/a-project.ts'
import type { BudgetSettings, ScheduleSettings } from '../../../machines/project/events.ts'
import type { Changed } from '../../machines/world/world.ts'
import type { WorldModel } from '../world-model.ts'
import { scheduleFutures } from './futures.ts'
import { schedulePast, type ScheduleHistory } from './history.ts'
import { keyOf } from './key.ts'
import { scheduleLaws } from './laws.ts'
import { accounts, answers, backlogs, next, night, operators, spenders, timers, wishes, type Moves } from './moves.ts'
import { minute, ScheduleWorld } from './world.ts'

export interface ProvedSchedule {
  readonly name: string
  readonly says: string
  readonly settings: ScheduleSettings
  readonly moves: readonly Moves[]
  readonly quick: number
  readonly long: number
}

const schedule = '*/10 * * * *'
const scan = { schedule, maxPerRepo: 1 } as const
const percents = { proactivePercent: 0, emergencyPercent: 0 }

const budget: BudgetSettings = {
  mode: 'customWindow',
  proactivePercent: 80,
  emergencyPercent: 95,
  resetSchedule: '',
  windowMs: 0,
  tokenLimit: 100,
  fiveHour: percents,
  weekly: percents,
}

const cron: readonly Moves[] = [timers, answers, operators, night, backlogs]

export const scheduleWorlds: readonly ProvedSchedule[] = [
  {
    name: 'sweep',
    says: 'an issue scan with the refine before it',
    settings: settingsWith({ maxNewTasksPerSweep: 1, maxOpenTasks: 2, issueScan: scan }),
    moves: cron,
    quick: 1,
    long: 2,
  },
  {
    name: 'sessions',
    says: 'a brainstorm with its floor, and an issue scan that shares its refine',
    settings: settingsWith({
      issueScan: scan,
      brainstorm: { schedule, targetOpenProposals: 3, minSessionIntervalMs: 25 * minute, guidance: '' },
    }),
    moves: cron,
    quick: 1,
    long: 2,
  },
  {
    name: 'nightly',
    says: 'documentation and upgrades, each in its lane',
    settings: settingsWith({ documentation: { schedule, maxPerRepo: 1 }, upgrade: { schedule, maxOpenUpgrades: 1 } }),
    moves: cron,
    quick: 1,
    long: 2,
  },
  {
    name: 'window',
    says: 'a token budget by windows of a schedule, Tasks and alerts that wait for slots',
    settings: settingsWith({ budget: { ...budget, resetSchedule: '0 * * * *' } }),
    moves: [timers, answers, operators, night, spenders, wishes],
    quick: 1,
    long: 2,
  },
  {
    name: 'account',
    says: 'a token budget by what the account has used, told late, early and not at all',
    settings: settingsWith({
      budget: { ...budget, mode: 'claudeSubscription', weekly: { ...percents, proactivePercent: 45 } },
    }),
    moves: [timers, operators, night, accounts, wishes],
    quick: 1,
    long: 2,
  },
]

export function scheduleModelOf(
  { name, says, settings, moves }: ProvedSchedule,
  changed: Changed,
): WorldModel<ScheduleWorld, ScheduleHistory> {
  const all = [next, ...moves]
  return {
    name,
    says,
    begin: () => ScheduleWorld.begin(settings, changed),
    moves: (world) => all.flatMap((some) => some(world)),
    isOver: () => false,
    lead: [],
    past: schedulePast,
    laws: scheduleLaws,
    futures: scheduleFutures,
    keyOf,
  }
}
