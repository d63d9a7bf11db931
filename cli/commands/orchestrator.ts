import { randomUUID } from 'node:crypto'
import { createLogger } from '../../http/logging.ts'
import { machines } from '../../machines/registry.ts'
import { systemClock } from '../../runtime/clock.ts'
import { aborted, untilInterrupted } from '../local/interrupt.ts'
import { programDir } from '../main.ts'
import { untilParentEnds } from '../parent.ts'
import { proofAtStart } from '../orchestrator/proof.ts'
import { startOrchestrator } from '../orchestrator/start.ts'
import { untilEnded } from '../orchestrator/until-ended.ts'
import { storyLine } from '../orchestrator/story-line.ts'
import { readSettings } from '../settings.ts'

/** `statewright orchestrator`: runs until SIGTERM or SIGINT, then stops gracefully. Logs are JSON lines on stdout. */
export async function orchestrator(
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<number> {
  const proof = await proofAtStart(machines, { dir: programDir, env, warn: console.error })
  const settings = readSettings(env, programDir)
  const logger = createLogger({ name: 'orchestrator', level: settings.logLevel })
  if (proof !== undefined) logger.info({ proof }, 'these machines are the proven ones')
  const running = await startOrchestrator(settings, {
    clock: systemClock,
    random: Math.random,
    ids: { next: () => randomUUID() },
    fetch,
    logger,
    version,
    programDir,
    // One orchestrator per embedded store: after a crash the next one goes on at once. With a shared Postgres each has its own name.
    owner: settings.databaseUrl === '' ? 'orchestrator' : (env['OWNER'] ?? randomUUID()),
  })
  running.runtime.subscribe((row) => logger.info(storyLine(row), 'step'))
  const { url, internalUrl, isolation, durability } = running
  logger.info({ url, internalUrl, isolation, durability, inspector: running.inspectorLink() }, 'ready')
  const asked = aborted(untilInterrupted())
  const code = await untilEnded(running, { asked, orphaned: untilParentEnds(process), logger, clock: systemClock })
  // What could not be stopped must not keep this process.
  if (code !== 0) process.exit(code)
  return code
}
