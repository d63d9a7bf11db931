/** The conditions of a Project (PROJECT-STATUS, RESOURCES-27), and what every step notes for its status. */
import { hasWindow } from './budget.ts'
import type { Block, Fault, ProjectContext, Scheduled } from './context.ts'
import type { BlockName, ProjectEvent } from './events.ts'

interface ProjectCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  /** A word of letters. */
  readonly reason: string
  readonly message: string
}

type Shown = Pick<ProjectContext, 'generation' | 'checkedGeneration' | 'reason' | 'message' | 'faults' | 'scheduled'>

/** `Ready` first. No two have one type: a server refuses a status that has. */
export function conditionsOf(project: Shown): readonly [ProjectCondition, ...(readonly ProjectCondition[])] {
  const { faults, scheduled } = project
  return [readyOf(project), ...faultConditions(faults), ...(scheduled ? scheduleConditions(scheduled) : [])]
}

/** Of what is applied now, not of what was before the last change. */
function readyOf({ generation, checkedGeneration, reason, message }: Shown): ProjectCondition {
  const isReady = reason === '' && generation === checkedGeneration
  return {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Checked' : reason || 'NotChecked',
    message,
  }
}

/** What is wrong beside readiness, each under its own name. */
function warning(type: string, reason: string, message: string): ProjectCondition {
  return { type, status: 'True', reason, message }
}

/** One fault may be found in several Repositories. */
function faultConditions(faults: readonly Fault[]): readonly ProjectCondition[] {
  return [...new Set(faults.map(({ reason }) => reason))].map((reason) => {
    const messages = faults.filter((fault) => fault.reason === reason).map(({ message }) => message)
    return warning(reason, reason, messages.join('; '))
  })
}

const blockWords: readonly (readonly [BlockName, string])[] = [
  ['issueScan', 'IssueScan'],
  ['brainstorm', 'Brainstorm'],
  ['documentation', 'Documentation'],
  ['upgrade', 'Upgrade'],
]

function scheduleConditions(scheduled: Scheduled): readonly ProjectCondition[] {
  const { blocks } = scheduled
  return [...blockWords.flatMap(([name, word]) => blockConditions(word, blocks[name])), ...budgetConditions(scheduled)]
}

function blockConditions(word: string, { refused, trouble }: Block): readonly ProjectCondition[] {
  return [
    ...(refused === '' ? [] : [warning(`${word}Unscheduled`, 'ScheduleRefused', refused)]),
    ...(trouble === '' ? [] : [warning(`${word}Incomplete`, 'LastRun', trouble)]),
  ]
}

const noWindow = 'neither resetSchedule nor windowDuration is set: the token budget limits nothing'
const proactive = 'the proactive share is used up: the queue starts only alerts'
const emergency = 'the token budget is used up: the queue starts nothing'

function budgetConditions({ settings: { budget }, spending: { hold } }: Scheduled): readonly ProjectCondition[] {
  const isUnbounded = budget?.mode === 'customWindow' && !hasWindow(budget)
  return [
    ...(isUnbounded ? [warning('TokenBudgetUnbounded', 'NoWindow', noWindow)] : []),
    ...(hold === 'normalHeld' ? [warning('TokenBudgetHeld', 'Proactive', proactive)] : []),
    ...(hold === 'allHeld' ? [warning('TokenBudgetHeld', 'Emergency', emergency)] : []),
  ]
}

/** A condition that stays what it was keeps its time, whatever its reason is now. */
export function sinceOf(before: ProjectContext, after: ProjectContext): ProjectContext['since'] {
  const was = new Map(conditionsOf(before).map(({ type, status }) => [type, status]))
  return Object.fromEntries(
    conditionsOf(after).map(({ type, status }) => [
      type,
      (was.get(type) === status ? before.since[type] : undefined) ?? after.at,
    ]),
  )
}

/** A check speaks of what was applied when it was asked for (RESOURCES-28); one of an older generation decides nothing. */
export function observedBy(
  { applied }: ProjectContext,
  event: ProjectEvent,
): Partial<Pick<ProjectContext, 'applied' | 'observed'>> {
  if (event.type === 'project.applied') return { applied: event.resources ?? {} }
  return event.type === 'project.checked' ? { observed: applied } : {}
}
