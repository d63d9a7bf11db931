/** How well the token budget's gate of subscriptions knows its account (ORCHESTRATOR-METRICS-4, ORCHESTRATOR-METRICS-5). */
import { Gauge, type Registry } from 'prom-client'
import { accountBelievedMs } from '../../machines/project/budget.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** The fleet shares one account: the newest report that any Project holds is what is known. */
async function newestReport(runtime: Pick<Runtime, 'list'>): Promise<number | undefined> {
  const times = (await runtime.list('project')).flatMap(({ context }) => {
    const at = context.scheduled?.spending.account?.reportedAt
    return at === undefined ? [] : [at]
  })
  return times.length === 0 ? undefined : Math.max(...times)
}

export function accountUsageMetrics(registry: Registry, runtime: Pick<Runtime, 'list'>, clock: Clock): void {
  const ready = new Gauge({
    name: 'platform_account_usage_gate_ready',
    help: 'Is 1 while the usage of the account is known and at most 90 minutes old. At 0 the gate of subscriptions is open.',
    registers: [],
    async collect() {
      const at = await newestReport(runtime)
      this.set(at !== undefined && clock.now() - at <= accountBelievedMs ? 1 : 0)
    },
  })
  const age = new Gauge({
    name: 'platform_account_usage_snapshot_age_seconds',
    help: 'Age of the newest usage that a pod reported. Absent before the first report.',
    registers: [],
    async collect() {
      const at = await newestReport(runtime)
      if (at === undefined) this.remove()
      else this.set(Math.max(0, clock.now() - at) / 1000)
    },
  })
  registry.registerMetric(ready)
  registry.registerMetric(age)
}
