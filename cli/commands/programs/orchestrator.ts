import { randomUUID } from 'node:crypto'
import { memorySettings } from '../../../edges/local/memory/settings.ts'
import { createLogger } from '../../../http/operational/logging.ts'
import { serverClock } from '../../../http/operational/server-clock.ts'
import { machines } from '../../../machines/registry.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { readArgs, UsageError } from '../../args.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { installedCli, programDir } from '../../program.ts'
import { unlessOrphaned, untilParentEnds } from '../../parent.ts'
import { proofAtStart } from '../../../orchestrator/wiring/proof.ts'
import { startOrchestrator } from '../../../orchestrator/wiring/start.ts'
import { untilEnded } from '../../until-ended.ts'
import { storyLine } from '../../../orchestrator/wiring/story-line.ts'
import { settingFlags, withFlags } from '../../settings-flags.ts'
import { readSettings } from '../../../orchestrator/settings/settings.ts'
import { printError } from '../../output/terminal.ts'

const usage = `usage: statewright orchestrator [--SETTING VALUE ...]

Runs the orchestrator until SIGTERM or SIGINT, then stops gracefully. It writes its log as lines of JSON to standard output.
It reads its settings from the environment. Each setting has a flag too, which goes before the variable: --cron-time-zone for
CRON_TIME_ZONE, and for a secret that of its file, --database-url-file. docs/settings.md lists them with their defaults.

Required: OIDC_ISSUER, OIDC_AUDIENCE, WRAPPER_AUDIENCE, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET (or OIDC_CLIENT_SECRET_FILE), and
MODEL_PROVIDER_API_KEY or AGENT_RUNTIME_OAUTH_TOKEN. It stores its state in STATE_DIR (default .statewright), or in PostgreSQL
where DATABASE_URL is set. It listens on HTTP_ADDR (127.0.0.1:8080) and INTERNAL_ADDR (127.0.0.1:8082).`

export async function orchestrator(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<number> {
  const parsed = readArgs(args, settingFlags, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length > 0) throw new UsageError(`orchestrator takes flags only\n\n${usage}`)
  const env = withFlags(environment, parsed)
  const proof = await proofAtStart(machines, { dir: programDir, env, warn: (text) => printError(text.split('\n')) })
  const settings = readSettings(env, installedCli(programDir))
  const logger = createLogger({ name: 'orchestrator', level: settings.logLevel })
  if (proof !== undefined) logger.info({ proof }, 'the certificate covers these machines')
  const clock = serverClock(systemClock, logger)
  const orphaned = untilParentEnds(process)
  const starting = startOrchestrator(settings, {
    clock,
    random: Math.random,
    ids: { next: () => randomUUID() },
    fetch,
    logger,
    version,
    programDir,
    // One orchestrator per embedded store: after a crash the next one goes on at once. With a shared Postgres each has its own name.
    owner: settings.databaseUrl === '' ? 'orchestrator' : settings.owner || randomUUID(),
    memoryEnv: memorySettings(env),
  })
  const running = await unlessOrphaned(starting, orphaned)
  running.runtime.subscribe((row) => logger.info(storyLine(row), 'step'))
  const { url, internalUrl, isolation, durability } = running
  logger.info({ url, internalUrl, isolation, durability, inspector: running.inspectorLink() }, 'ready')
  const asked = aborted(untilInterrupted())
  const code = await untilEnded(running, { asked, orphaned, logger, clock })
  // What could not be stopped must not keep this process.
  if (code !== 0) process.exit(code)
  return code
}
