/** PROJECT-CRON and PROJECT-BUDGET (docs/contract/resources.md) with every default applied: what a Project's actor is told. */
import { goDurationMs } from '../../crd/duration.ts'
import type { ProjectSpec } from '../../crd/project.ts'
import type { BudgetSettings, ScheduleSettings } from '../../machines/project/events.ts'

const minute = 60_000
const defaultSessionMinutes = 12

/** `undefined`: it does nothing by itself. */
export function scheduleSettings(spec: ProjectSpec): ScheduleSettings | undefined {
  const { issueScan, documentation, upgrade } = spec.scm.cron ?? {}
  const budget = budgetSettings(spec)
  const settings: ScheduleSettings = {
    maxNewTasksPerSweep: spec.maxNewTasksPerSweep ?? 5,
    maxOpenTasks: spec.maxOpenTasks ?? 6,
    issueScan: { schedule: issueScan?.schedule?.trim() ?? '', maxPerRepo: issueScan?.maxPerRepo ?? 1 },
    brainstorm: brainstormSettings(spec),
    documentation: {
      schedule: spec.documentation?.enabled === true ? (documentation?.schedule?.trim() ?? '') : '',
      maxPerRepo: documentation?.maxPerRepo ?? 1,
    },
    upgrade: { schedule: upgrade?.schedule?.trim() ?? '', maxOpenUpgrades: upgrade?.maxOpenUpgrades ?? 1 },
    ...(budget ? { budget } : {}),
  }
  const isIdle = [settings.issueScan, settings.brainstorm, settings.documentation, settings.upgrade].every(
    ({ schedule }) => schedule === '',
  )
  return isIdle && !budget ? undefined : settings
}

/** The deprecated `maxOpenProposals` counts only where no target is given (PROJECT-CRON-9). */
function targetOpenProposals({ scm }: ProjectSpec): number {
  const { targetOpenProposals: target, maxOpenProposals: alias } = scm.cron?.brainstorm ?? {}
  return target ?? alias ?? 3
}

/** A target of 0 disables refill: there would be nothing for a session to do. */
function brainstormSettings(spec: ProjectSpec): ScheduleSettings['brainstorm'] {
  const { enabled, schedule, minSessionIntervalMinutes = defaultSessionMinutes } = spec.scm.cron?.brainstorm ?? {}
  const target = Math.max(0, targetOpenProposals(spec))
  // Positive: the floor. 0: the default. Negative: none.
  const minutes = minSessionIntervalMinutes === 0 ? defaultSessionMinutes : Math.max(0, minSessionIntervalMinutes)
  return {
    schedule: enabled === true && target > 0 ? (schedule?.trim() ?? '') : '',
    targetOpenProposals: target,
    minSessionIntervalMs: minutes * minute,
    guidance: spec.scm.guidance ?? '',
  }
}

/** On only when the block is there and says so; the operator-wide default is off. */
function budgetSettings({ tokenBudget: given }: ProjectSpec): BudgetSettings | undefined {
  if (given?.enabled !== true) return undefined
  return {
    mode: given.mode === 'claudeSubscription' ? 'claudeSubscription' : 'customWindow',
    proactivePercent: given.proactivePercent ?? 50,
    emergencyPercent: given.emergencyPercent ?? 80,
    resetSchedule: given.resetSchedule?.trim() ?? '',
    windowMs: goDurationMs(given.windowDuration ?? '') ?? 0,
    tokenLimit: given.tokenLimit ?? 0,
    fiveHour: {
      proactivePercent: given.fiveHourProactivePercent ?? 0,
      emergencyPercent: given.fiveHourEmergencyPercent ?? 0,
    },
    weekly: {
      proactivePercent: given.weeklyProactivePercent ?? 0,
      emergencyPercent: given.weeklyEmergencyPercent ?? 0,
    },
  }
}
