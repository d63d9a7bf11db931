/**
 * The text of a turn: in turn 0 the bundle with its events inside, later the events first, then the refreshed bundle;
 * always closed by the assignment (EVENTS-2, EVENTS-6, BUNDLE-TEXT-4).
 */
import type { EffectParams } from '../../../machines/effect.ts'
import { taskBranch } from '../../../machines/rules/names.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { AgentKind } from '../../../machines/task/events.ts'
import { shownGoal } from '../../../machines/task/shown-goal.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { ThreadReader } from '../../ports/threads.ts'
import type { AgentApiDeps } from '../deps.ts'
import { isSince } from '../find-tasks.ts'
import { renderAssignment, type TurnReason } from './assignment/assignment.ts'
import type { AssignmentContext, KindHints } from './assignment/context.ts'
import { prefaceOf, type Preface } from './preface.ts'
import { collectBundle } from './collect.ts'
import { renderEvents } from './elements.ts'
import { renderBundle } from './render.ts'
import { budgetOf, sizeOf, sumOf } from './size.ts'

type Deps = Pick<
  AgentApiDeps,
  'runtime' | 'threads' | 'gatedThreads' | 'sql' | 'maxBundleBytes' | 'logger' | 'projects' | 'clock' | 'lifeOf'
>

export async function renderTurn(deps: Deps, turn: EffectParams<'submitTurn'>, ordinal: number): Promise<string> {
  const view = await deps.runtime.read(`task:${turn.task}`)
  if (view === undefined) throw new TerminalError('no-task', `there is no Task ${turn.task}`)
  const task = view.context
  const isPast = await isOfEarlierProject(deps, task)
  const options = { notes: 'recent', eventsUpTo: turn.eventsUpTo } as const
  const input = await collectBundle(isPast ? { ...deps, gatedThreads: noThreads } : deps, task, options)
  const first = ordinal === 0
  const reason = turn.purpose === 'handoff' ? 'handoff' : reasonOf(task, first)
  const maxBytes = await deps.maxBundleBytes(task.config.project)
  const preface = isPast ? noPreface : await prefaceOf(deps, task, agentOf(task), budgetOf(maxBytes))
  const assignment = renderAssignment(assignmentContext(task, preface.hints), reason)
  const events = first ? '' : renderEvents(input.events)
  const reserved = sumOf([assignment, events, preface.text, '\n', '\n'].map(sizeOf))
  const { text, squeezed } = renderBundle(input, { maxBytes, reserved, eventsInside: first })
  if (squeezed)
    deps.logger.warn({ task: task.id, maxBytes }, 'the renderer dropped more than comments to fit the bundle')
  return `${events === '' ? '' : `${events}\n`}${preface.text}${text}\n${assignment}`
}

/** A Task that was closed with its Project hands over its notes, and learns nothing of the next Project of the name (POD-TOKEN-6). */
async function isOfEarlierProject({ lifeOf }: Deps, task: TaskContext): Promise<boolean> {
  return task.stage.class === 'terminal' && !isSince(task, (await lifeOf(task.config.project))?.since)
}

const noPreface: Preface = { text: '', hints: {} }
const noThreads: ThreadReader = {
  issue: async () => undefined,
  mergeRequest: async () => undefined,
  comments: async () => [],
  issues: async () => ({ items: [] }),
  mergeRequests: async () => ({ items: [] }),
}

function reasonOf(task: TaskContext, first: boolean): TurnReason {
  if (first) return 'first'
  return task.turn.prompt === 'continue' ? 'continue' : 'events'
}

/** Of the live pod; a render between two pods speaks for the next one. */
function agentOf(task: TaskContext): AgentKind {
  return task.pod.agentKind || (task.stage.wants ?? task.kind)
}

export function assignmentContext(task: TaskContext, hints: KindHints = {}): AssignmentContext {
  const open = task.forge.mergeRequests.filter((mr) => mr.state === 'open')
  const live = task.forge.issues.filter((issue) => issue.state === 'open')
  const branch = taskBranch(task.id)
  const agent = agentOf(task)
  return {
    hints,
    agent,
    stage: task.stage.name,
    goal: shownGoal(task),
    repositories: task.config.repositories
      .filter(({ name }) => task.repositories.includes(name))
      .map(({ name, base }) => {
        const mr = open.find(({ repository }) => repository === name)
        const isReview = agent === 'review' && mr !== undefined
        return {
          name,
          base: isReview ? (mr.baseBranch ?? base) : base,
          ...(mr === undefined || mr.headBranch === branch ? { branch } : { mergeRequest: mr.number }),
          ...(isReview ? { sha: mr.headSha } : {}),
        }
      }),
    hasPlan: task.journal.planNoteId !== null,
    ...(task.journal.planNoteId === null ? {} : { planNoteId: task.journal.planNoteId }),
    granted: live.length > 0 && live.every((issue) => issue.grant !== null),
    selfGrant:
      task.config.autoApproveMaxSignificance !== 'off' &&
      live.length > 0 &&
      live.every((issue) => issue.selfProposed && !issue.humanCommented),
    ownsIssue: task.forge.everOwnedIssue,
    ownsMergeRequest: open.length > 0,
  }
}
