/** Whether the provider withholds the model from the key that pods get (MODEL-KEY-8). */
import { Gauge, type Registry } from 'prom-client'
import type { ModelKeyContext } from '../../machines/model-key/context.ts'
import { Withholding } from '../../machines/turn/schema.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface ModelKeyGaugeOptions {
  readonly runtime: Pick<Runtime, 'read'>
  /** Print of the key. */
  readonly modelKey: string
  readonly registry: Registry
}

/** Each cause has its series from the start: an alert on one that never was is no alert. */
export function watchModelKey({ runtime, modelKey, registry }: ModelKeyGaugeOptions): void {
  let hold: ModelKeyContext['hold'] = null
  const gauge = new Gauge({
    name: 'statewright_model_withheld',
    help: 'Whether the provider withholds the model from the key that pods get, by cause.',
    labelNames: ['cause'],
    registers: [],
    async collect() {
      // The last figure stands while the store is away, which has its own signs.
      const actor = await runtime.read(`model-key:${modelKey}`).catch(() => ({ context: { hold } }))
      hold = actor?.context.hold ?? null
      for (const { const: cause } of Withholding.anyOf) this.set({ cause }, hold?.cause === cause ? 1 : 0)
    },
  })
  registry.registerMetric(gauge)
}
