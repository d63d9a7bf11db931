import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { accountUsageMetrics } from './account-usage.ts'

const minute = 60_000

async function scraped(reports: readonly (number | null)[], now: number): Promise<readonly string[]> {
  const registry = new Registry()
  const projects = reports.map((reportedAt) => ({
    context: { scheduled: { spending: { account: reportedAt === null ? null : { reportedAt } } } },
  }))
  accountUsageMetrics(registry, { list: async () => projects as never }, simulatedClock(now))
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('the newest report of any Project is what is known (ORCHESTRATOR-METRICS-5)', async () => {
  expect(await scraped([10 * minute, 40 * minute, null], 100 * minute)).toEqual([
    'platform_account_usage_gate_ready 1',
    'platform_account_usage_snapshot_age_seconds 3600',
  ])
})

test('ORCHESTRATOR-METRICS-4, ORCHESTRATOR-METRICS-5: past 90 minutes the gate is not ready, and the age goes on (ORCHESTRATOR-METRICS-4)', async () => {
  expect(await scraped([0], 91 * minute)).toEqual([
    'platform_account_usage_gate_ready 0',
    'platform_account_usage_snapshot_age_seconds 5460',
  ])
})

test('never reported and old are told apart', async () => {
  expect(await scraped([null], minute)).toEqual(['platform_account_usage_gate_ready 0'])
})
