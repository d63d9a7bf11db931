/** What a turn used, for the token budgets that want to know (PROJECT-BUDGET-4, PROJECT-BUDGET-5). */
import type { AccountReport, AccountWindow } from '../../machines/event.ts'
import type { BudgetSettings } from '../../machines/project/events.ts'
import { tokensOf } from '../../machines/rules/spending.ts'
import type { AccountUsage, TokenCounts } from '../../machines/turn/schema.ts'
import type { TurnContext } from '../../machines/turn/context.ts'
import type { ActorView, Delivery, Runtime } from '../../runtime/runtime.ts'
import { projectId, type ProjectDirectory } from '../forge/projects.ts'

interface UsageDeps {
  readonly runtime: Pick<Runtime, 'read'>
  readonly directory: Pick<ProjectDirectory, 'projects'>
  readonly budget: (project: string) => Promise<BudgetSettings | undefined>
}

export interface TurnUsage {
  readonly usage?: TokenCounts | undefined
  readonly accountUsage?: AccountUsage | undefined
}

/** A turn's result is told once, under the turn's own name (R3): its tokens to its Project, the account's usage to its Task and the fleet. */
export async function usageDeliveries(
  deps: UsageDeps,
  turn: string,
  { usage, accountUsage }: TurnUsage,
  at: number,
): Promise<readonly Delivery[]> {
  const task = await taskOf(deps, turn)
  const spender = task?.context.config.project
  const deliveries: Delivery[] = []
  if (task?.status === 'active' && accountUsage !== undefined)
    deliveries.push({ to: task.address, key: `reported/${turn}`, event: accountReport(accountUsage, at) })
  for (const project of await deps.directory.projects()) {
    const id = projectId(project)
    const mode = (await deps.budget(id))?.mode
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
        event: accountReport(accountUsage, at),
      })
  }
  return deliveries
}

async function taskOf({ runtime }: UsageDeps, turn: string): Promise<ActorView<'task'> | undefined> {
  const { task }: Partial<TurnContext> = (await runtime.read(`turn:${turn}`))?.context ?? {}
  return task === undefined ? undefined : runtime.read(`task:${task}`)
}

function accountReport({ fiveHour, sevenDay, reportedAt }: AccountUsage, at: number): Delivery['event'] {
  const window = ({ usedPercent, resetsAt }: AccountUsage['fiveHour']): AccountWindow => ({
    usedPercent,
    resetsAt: Date.parse(resetsAt),
  })
  const report: AccountReport = {
    fiveHour: window(fiveHour),
    weekly: window(sevenDay),
    reportedAt: Date.parse(reportedAt),
  }
  return { type: 'usage.reported', at, ...report }
}
