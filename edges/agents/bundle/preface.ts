/** What stands before the bundle of the broad-context kinds: the index of Tasks, and what was proposed before (INDEX-1, PROJECT-CRON-10). */
import type { TaskContext } from '../../../machines/task/context.ts'
import type { AgentKind } from '../../../machines/task/events.ts'
import type { AgentApiDeps } from '../deps.ts'
import { findTasks } from '../find-tasks.ts'
import { bareName } from '../../../crd/resource-id.ts'
import { proposalsOf, type Proposals } from '../outcome/proposals.ts'
import type { KindHints, StandingComment } from './assignment/context.ts'
import { attributes, escapeText } from './escape.ts'
import { fitsIn, halfOf, sizeOf, sumOf, type Size } from './size.ts'
import { renderTaskIndex, type IndexScope } from './task-index.ts'

type Deps = Pick<AgentApiDeps, 'runtime' | 'threads' | 'gatedThreads' | 'projects' | 'clock' | 'lifeOf'>

export interface Preface {
  readonly text: string
  readonly hints: KindHints
}

const scopes: { readonly [K in AgentKind]?: IndexScope } = {
  refine: 'all',
  brainstorm: 'brainstorm',
  incident: 'incident',
}
const day = 86_400_000

export async function prefaceOf(deps: Deps, task: TaskContext, agent: AgentKind, budget: Size): Promise<Preface> {
  const scope = scopes[agent]
  // The bundle is what the agent needs first: whatever stands before it takes half of the room at most.
  const index = scope === undefined ? '' : await indexOf(deps, task, scope, halfOf(budget))
  if (agent === 'brainstorm') {
    const proposals = await proposalsOf(deps, task)
    const history = await historyOf(deps, task, proposals)
    const text = fitsIn(sumOf([sizeOf(index), sizeOf(history)]), halfOf(budget)) ? `${index}${history}` : index
    return { text, hints: brainstormHints(proposals) }
  }
  return { text: index, hints: await hintsOf(deps, task, agent) }
}

async function indexOf(deps: Deps, task: TaskContext, scope: IndexScope, budget: Size): Promise<string> {
  const { project } = task.config
  const since = (await deps.lifeOf(project))?.since
  const tasks = await findTasks(deps.runtime, { project, since })
  return renderTaskIndex(tasks, bareName(project), scope, deps.clock.now(), budget)
}

/** Somebody else may have written over a title of ours: what is shown of it goes through the gate. */
async function historyOf(
  { gatedThreads }: Deps,
  { config: { project } }: TaskContext,
  { settings, issues, isProposal }: Proposals,
): Promise<string> {
  const shown = issues.filter(isProposal).slice(0, settings.historyWindow)
  if (shown.length === 0) return ''
  const inner = await Promise.all(
    shown.map(async ({ repository: repo, number, state }) => {
      const title = (await gatedThreads.issue(project, repo, number))?.title ?? ''
      return `<proposal${attributes({ repo, number, state })}>${escapeText(title)}</proposal>\n`
    }),
  )
  return `<proposals${attributes({ count: shown.length })}>\n${inner.join('')}</proposals>\n`
}

function brainstormHints({ settings, issues, isOpenProposal }: Proposals): KindHints {
  const open = issues.filter(isOpenProposal).length
  return { proposalsLeft: Math.max(0, settings.targetOpenProposals - open), sources: settings.proposalSources }
}

async function hintsOf(deps: Deps, task: TaskContext, agent: AgentKind): Promise<KindHints> {
  if (agent === 'implement') return { approvals: await approvalsOf(deps, task) }
  if (agent !== 'refine' && agent !== 'upgrade') return {}
  const project = await deps.projects.project(task.config.project)
  if (project === undefined) return {}
  const { closedLookbackDays, upgradePolicy } = project.kinds
  if (agent === 'refine') {
    const since = task.stage.enteredAt - closedLookbackDays * day
    return { closedSince: new Date(since).toISOString().slice(0, 10) }
  }
  return upgradePolicy === undefined ? {} : { upgradePolicy: JSON.stringify(upgradePolicy, null, 2) }
}

async function approvalsOf({ runtime }: Deps, { forge: { issues } }: TaskContext): Promise<readonly StandingComment[]> {
  const live = issues.filter(({ state }) => state === 'open')
  const found = live.map(async ({ issue, repository, number }): Promise<readonly StandingComment[]> => {
    const view = await runtime.read(`issue:${issue}`)
    const accepted = view?.context.accepted
    return accepted ? [{ repository, number, ...accepted }] : []
  })
  return (await Promise.all(found)).flat()
}
