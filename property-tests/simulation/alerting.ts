/** The alerting of the operator: it tells what fires until somebody has taken it, as often as it likes. */
import type { World } from '../runtime/simulation/world.ts'
import { alertSecret, type Orchestrators } from './orchestrators.ts'
import type { AlertPlan, Plan } from './plan.ts'

const againMs = 30_000
const patienceMs = 5000

export class Alerting {
  readonly #world: World
  readonly #orchestrators: () => Orchestrators
  readonly #plan: Plan
  /** Alerts that were taken: answered 202. */
  readonly taken = new Set<string>()

  constructor(world: World, orchestrators: () => Orchestrators, plan: Plan) {
    this.#world = world
    this.#orchestrators = orchestrators
    this.#plan = plan
  }

  begin(): void {
    for (const alert of this.#plan.alerts)
      for (let nth = 0; nth < alert.times; nth++)
        this.#world.after(alert.atMs + nth * againMs, () => void this.#tell(alert))
  }

  async #tell(alert: AlertPlan): Promise<void> {
    const { name } = alert
    const firing = {
      status: 'firing',
      labels: { alertname: name },
      startsAt: '2023-11-14T22:00:00Z',
      fingerprint: name,
    }
    const body = JSON.stringify({ version: '4', groupKey: 'all', alerts: [firing] })
    const headers = { authorization: `Bearer ${alertSecret}`, 'content-type': 'application/json' }
    const path = '/operator/webhooks/demo/alerts'
    const answer = await this.#orchestrators().call({ kind: 'alert', method: 'POST', path, headers, body })
    this.#world.tell(`${name} fires: ${answer?.status ?? 'nobody answers'}`)
    if (answer?.status === 202) this.taken.add(name)
    else this.#world.after(patienceMs, () => void this.#tell(alert))
  }
}
