/**
 * An orchestrator in a process of its own, for tests with several of them over one store: only the agent of its pods is
 * quiet. Argument: a file with its settings as JSON and the folder of the program of its pods. Run by `startReplica`.
 */
import { readFileSync } from 'node:fs'
import { createLogger } from '../../http/operational/logging.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { startOrchestrator } from '../wiring/start.ts'
import { portsForTests } from './ports.ts'

const { settings, programDir } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  readonly settings: OrchestratorSettings
  readonly programDir: string
}
// Whoever started it is gone.
process.once('disconnect', () => process.exit(1))
const logger = createLogger({ name: 'replica', level: 'info' })
const orchestrator = await startOrchestrator(settings, portsForTests({ logger, programDir, owner: 'replica' }))
orchestrator.runtime.subscribe(({ address }) => process.send?.(address))
process.send?.('ready')
