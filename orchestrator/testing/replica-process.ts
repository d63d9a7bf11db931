/**
 * An orchestrator in a process of its own, for tests with several of them over one store: only the agent of its pods is
 * quiet. Argument: a file with its settings as JSON and the folder of the program of its pods. Run by `startReplica`.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createLogger } from '../../http/logging.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { OrchestratorSettings } from '../settings.ts'
import { startOrchestrator } from '../start.ts'

const { settings, programDir } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  readonly settings: OrchestratorSettings
  readonly programDir: string
}
// Whoever started it is gone.
process.once('disconnect', () => process.exit(1))
const orchestrator = await startOrchestrator(settings, {
  clock: systemClock,
  random: Math.random,
  ids: { next: () => randomUUID() },
  fetch,
  logger: createLogger({ name: 'replica', level: 'info' }),
  version: '0.0.0-test',
  programDir,
  owner: 'replica',
})
orchestrator.runtime.subscribe(({ address }) => process.send?.(address))
process.send?.('ready')
