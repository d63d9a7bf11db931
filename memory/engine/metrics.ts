import { Gauge, type Registry } from 'prom-client'
import type { EngineFigures, RetrievalEngine } from './port.ts'

const series: readonly (readonly [name: string, help: string, value: (figures: EngineFigures) => number])[] = [
  ['memory_engine_stored_total', 'Memories that the engine stored.', (figures) => figures.stored],
  ['memory_engine_duplicates_total', 'Memories whose text the engine held already.', (figures) => figures.duplicates],
  ['memory_engine_failed_total', 'Memories that the engine refused or failed on.', (figures) => figures.failed],
  [
    'memory_engine_without_entities_total',
    'Memories stored in which no entity was found; a high share means that extraction fails silently.',
    (figures) => figures.withoutEntities,
  ],
  [
    'memory_engine_removals_queued',
    'Texts that wait to be taken out of the engine.',
    (figures) => figures.removalsQueued,
  ],
  [
    'memory_engine_wakes_total',
    'Times the engine was woken to work on what it had accepted.',
    (figures) => figures.wakes,
  ],
]

/** Read from the engine when somebody asks; totals count since the start of the process. */
export function registerEngineMetrics(registry: Registry, engine: RetrievalEngine): void {
  let reading: Promise<EngineFigures> | undefined
  const read = (): Promise<EngineFigures> => (reading ??= engine.figures().finally(() => (reading = undefined)))
  for (const [name, help, value] of series) {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        gauge.set(value(await read()))
      },
    })
  }
}
