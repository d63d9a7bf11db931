/** The status of a Project (PROJECT-STATUS). */
import type { Block, ProjectContext, Scheduled } from '../../machines/project/context.ts'
import { isReady } from '../../machines/project/machine.ts'
import { time, type ActorShape } from './shape.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

interface ProjectStatus {
  readonly ready: boolean
  readonly reason: string
  readonly observedGeneration: number
  /** The first one is `Ready`. */
  readonly conditions: readonly [Condition, ...(readonly Condition[])]
}

/** The addresses of its webhook and of its memory are added by who knows them. */
export function projectStatus(actor: Pick<ActorShape, 'path' | 'context'> | undefined): ProjectStatus {
  const project = (actor?.context ?? {}) as Partial<ProjectContext>
  const { generation, checkedGeneration = 0, message = '', faults = [], scheduled } = project
  // Ready says so of what is applied now, not of what was before the last change.
  const ready = isReady(actor?.path) && generation === checkedGeneration
  const reason = ready ? 'Checked' : project.reason || 'NotChecked'
  const conditions: ProjectStatus['conditions'] = [
    { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
    ...faults.map((fault) => warning(fault.reason, fault.reason, fault.message)),
    ...(scheduled ? scheduleConditions(scheduled) : []),
  ]
  return {
    ready,
    reason,
    observedGeneration: checkedGeneration,
    conditions,
    ...(scheduled ? scheduleStatus(scheduled) : {}),
  }
}

/** What is wrong beside readiness, each under its own name. */
function warning(type: string, reason: string, message: string): Condition {
  return { type, status: 'True', reason, message }
}

const blockWords = {
  issueScan: 'IssueScan',
  brainstorm: 'Brainstorm',
  documentation: 'Documentation',
  upgrade: 'Upgrade',
}

function scheduleConditions({ blocks, settings, spending }: Scheduled): readonly Condition[] {
  const budget = settings.budget
  const isUnbounded = budget?.mode === 'customWindow' && budget.resetSchedule === '' && budget.windowMs === 0
  return [
    ...Object.entries(blocks).flatMap(([name, block]) =>
      blockConditions(blockWords[name as keyof typeof blocks], block),
    ),
    ...(isUnbounded
      ? [
          warning(
            'TokenBudgetUnbounded',
            'NoWindow',
            'neither resetSchedule nor windowDuration is set: the token budget limits nothing',
          ),
        ]
      : []),
    ...(spending.hold === 'open'
      ? []
      : [
          warning(
            'TokenBudgetHeld',
            spending.hold === 'allHeld' ? 'Emergency' : 'Proactive',
            spending.hold === 'allHeld'
              ? 'the token budget is used up: the queue starts nothing'
              : 'the proactive share is used up: the queue starts only alerts',
          ),
        ]),
  ]
}

function blockConditions(word: string, { refused, trouble }: Block): readonly Condition[] {
  return [
    ...(refused === '' ? [] : [warning(`${word}Unscheduled`, 'ScheduleRefused', refused)]),
    ...(trouble === '' ? [] : [warning(`${word}Incomplete`, 'LastRun', trouble)]),
  ]
}

function scheduleStatus({ blocks, refine, spending, settings }: Scheduled): object {
  const { windowStart, windowTokens } = spending
  return {
    lastIssueScan: time(blocks.issueScan.last),
    lastBrainstorm: time(blocks.brainstorm.last),
    lastDocumentation: time(blocks.documentation.last),
    lastRefine: time(refine.last),
    lastUpgrade: time(blocks.upgrade.last),
    ...(settings.budget?.mode === 'customWindow'
      ? { tokenBudget: { windowStart: time(windowStart), windowTokens } }
      : {}),
  }
}
