/** What a turn used, for the token budgets that want to know (document 3, TokenBudgetSpec). */
import type { BudgetSettings } from '../../machines/project/events.ts'
import { tokensOf } from '../../machines/rules/spending.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { AccountUsage, TokenCounts } from '../../machines/turn/schema.ts'
import type { TurnContext } from '../../machines/turn/context.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { projectId, type ProjectDirectory } from '../forge/projects.ts'

export interface UsageDeps {
  readonly runtime: () => Pick<Runtime, 'read'>
  readonly directory: Pick<ProjectDirectory, 'projects'>
  readonly budget: (project: string) => Promise<BudgetSettings | undefined>
}

export interface TurnUsage {
  readonly usage?: TokenCounts | undefined
  readonly accountUsage?: AccountUsage | undefined
}

/** A turn's result is told once, under the turn's own name (R3): its tokens to its Project, the account's usage to the fleet. */
export async function usageDeliveries(
  deps: UsageDeps,
  turn: string,
  { usage, accountUsage }: TurnUsage,
  at: number,
): Promise<readonly Delivery[]> {
  const deliveries: Delivery[] = []
  const spender = await projectOf(deps, turn)
  for (const project of await deps.directory.projects()) {
    const id = projectId(project)
    const mode = (await deps.budget(project.name))?.mode
    if (mode === 'customWindow' && id === spender && usage !== undefined)
      deliveries.push({
        to: `project:${id}`,
        key: `spent/${turn}`,
        event: { type: 'usage.spent', at, turn, tokens: tokensOf(usage) },
      })
    if (mode === 'claudeSubscription' && accountUsage !== undefined)
      deliveries.push({
        to: `project:${id}`,
        key: `reported/${turn}`,
        event: { type: 'usage.reported', at, ...reported(accountUsage) },
      })
  }
  return deliveries
}

async function projectOf({ runtime }: UsageDeps, turn: string): Promise<string | undefined> {
  const { task } = ((await runtime().read(`turn:${turn}`))?.context ?? {}) as Partial<TurnContext>
  if (task === undefined) return undefined
  return ((await runtime().read(`task:${task}`))?.context as TaskContext | undefined)?.config.project
}

function reported({ fiveHour, sevenDay, reportedAt }: AccountUsage): object {
  const window = ({ usedPercent, resetsAt }: AccountUsage['fiveHour']): object => ({
    usedPercent,
    resetsAt: Date.parse(resetsAt),
  })
  return { fiveHour: window(fiveHour), weekly: window(sevenDay), reportedAt: Date.parse(reportedAt) }
}
