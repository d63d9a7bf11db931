import { expect, test } from 'vitest'
import type { BudgetSettings } from '../../machines/project/events.ts'
import type { ProjectSettings } from '../forge/projects.ts'
import { usageDeliveries, type TurnUsage } from './usage.ts'

const usage = {
  inputTokens: 1,
  outputTokens: 20,
  cacheReadTokens: 300,
  cacheWriteTokens: 4000,
  costUsd: 1,
  byModel: {},
}
const accountUsage = {
  fiveHour: { usedPercent: 40, resetsAt: '2026-03-01T15:00:00Z' },
  sevenDay: { usedPercent: 10, resetsAt: '2026-03-07T00:00:00Z' },
  reportedAt: '2026-03-01T12:00:00Z',
}
const modes: Readonly<Record<string, BudgetSettings['mode'] | undefined>> = {
  metered: 'customWindow',
  other: 'customWindow',
  subscribed: 'claudeSubscription',
  free: undefined,
}

function told(turn: string, given: TurnUsage): ReturnType<typeof usageDeliveries> {
  const actors: Readonly<Record<string, object>> = {
    'turn:default/t/1/0': { context: { task: 'default/t' } },
    'task:default/t': {
      address: 'task:default/t',
      status: 'active',
      context: { config: { project: 'default/metered' } },
    },
    'turn:default/over/1/0': { context: { task: 'default/over' } },
    'task:default/over': {
      address: 'task:default/over',
      status: 'done',
      context: { config: { project: 'default/metered' } },
    },
  }
  return usageDeliveries(
    {
      runtime: { read: async (address) => actors[address] as never },
      directory: {
        projects: async () => Object.keys(modes).map((name) => ({ name, namespace: 'default' }) as ProjectSettings),
      },
      budget: async (id) => {
        const mode = modes[id.replace('default/', '')]
        return mode ? ({ mode } as BudgetSettings) : undefined
      },
    },
    turn,
    given,
    7,
  )
}

test('its tokens go to its own Project where that meters, once for each turn (PROJECT-BUDGET-4)', async () => {
  expect(await told('default/t/1/0', { usage })).toEqual([
    {
      to: 'project:default/metered',
      key: 'spent/default/t/1/0',
      event: { type: 'usage.spent', at: 7, turn: 'default/t/1/0', tokens: 4321 },
    },
  ])
})

test('the account’s usage goes to every Project that is gated by it, whoever ran the turn (ADMISSION-4)', async () => {
  const [delivery, ...rest] = await told('default/unknown/1/0', { usage, accountUsage })
  expect(rest).toEqual([])
  expect(delivery).toMatchObject({
    to: 'project:default/subscribed',
    key: 'reported/default/unknown/1/0',
    event: {
      type: 'usage.reported',
      fiveHour: { usedPercent: 40, resetsAt: Date.parse('2026-03-01T15:00:00Z') },
      weekly: { usedPercent: 10, resetsAt: Date.parse('2026-03-07T00:00:00Z') },
      reportedAt: Date.parse('2026-03-01T12:00:00Z'),
    },
  })
})

test('the account’s usage goes to the turn’s own Task, as long as that lives (TASK-RESOURCE-12)', async () => {
  const receivers = async (turn: string): Promise<readonly string[]> =>
    (await told(turn, { accountUsage })).map(({ to, key }) => `${to} ${key}`)
  const fleet = (turn: string): string => `project:default/subscribed reported/${turn}`
  expect(await receivers('default/t/1/0')).toEqual(['task:default/t reported/default/t/1/0', fleet('default/t/1/0')])
  expect(await receivers('default/over/1/0')).toEqual([fleet('default/over/1/0')])
})

test('a turn that reported nothing tells nothing: never-reported and 0 percent stay distinguishable (ADMISSION-6)', async () => {
  expect(await told('default/t/1/0', {})).toEqual([])
})
