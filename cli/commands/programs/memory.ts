import { randomUUID } from 'node:crypto'
import { createLogger } from '../../../http/operational/logging.ts'
import { serverClock } from '../../../http/operational/server-clock.ts'
import { memoryMachines } from '../../../machines/registry.ts'
import { rebuildMemory } from '../../../memory/rebuild.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { readArgs, UsageError } from '../../args.ts'
import { openParts } from '../../memory/parts.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { programDir } from '../../program.ts'
import { progress } from '../../output/progress.ts'
import { unlessOrphaned, untilParentEnds } from '../../parent.ts'
import { readMemorySettings, readRebuildSettings } from '../../memory/settings.ts'
import { startMemory } from '../../memory/start.ts'
import { proofAtStart } from '../../../orchestrator/wiring/proof.ts'
import { untilEnded } from '../../until-ended.ts'
import { print, printError } from '../../output/terminal.ts'

const usage = `usage: statewright memory [rebuild]

Runs the knowledge service of one Project: memories, queries, entities, code graph. It reads its settings from the
environment (docs/memory.md lists them). It stops at SIGTERM or SIGINT.

rebuild fills the retrieval engine and the graph database again from PostgreSQL. Stop the service first.`

type Environment = Readonly<Record<string, string | undefined>>

export async function memory(args: readonly string[], env: Environment, version: string): Promise<number> {
  const parsed = readArgs(args, {}, usage)
  if (parsed === undefined) return 0
  const [what, ...rest] = parsed.positionals
  if (rest.length > 0) throw new UsageError(`memory takes at most one argument\n\n${usage}`)
  if (what === undefined) return serve(env, version)
  if (what === 'rebuild') return rebuild(env)
  throw new UsageError(`there is no command memory ${what}\n\n${usage}`)
}

/** Runs until SIGTERM or SIGINT, then stops gracefully. Logs are JSON lines on stdout. */
async function serve(env: Environment, version: string): Promise<number> {
  const proof = await proofAtStart(memoryMachines, {
    dir: programDir,
    env,
    warn: (text) => printError(text.split('\n')),
  })
  const settings = readMemorySettings(env)
  const logger = createLogger({ name: 'memory', level: settings.logLevel })
  if (proof !== undefined) logger.info({ machines: proof.machines }, 'the certificate covers these machines')
  const clock = serverClock(systemClock, logger)
  const orphaned = untilParentEnds(process)
  const starting = startMemory(settings, {
    clock,
    random: Math.random,
    ids: { next: () => randomUUID() },
    fetch,
    logger,
    version,
    // One service per embedded store: after a crash the next one goes on at once. With a shared Postgres each has its own name.
    owner: settings.databaseUrl === '' ? 'memory' : (env['OWNER'] ?? randomUUID()),
  })
  const running = await unlessOrphaned(starting, orphaned)
  const { url, durability, engine, graph } = running
  logger.info({ url, durability, engine, graph }, 'ready')
  const asked = aborted(untilInterrupted())
  const code = await untilEnded(running, { asked, orphaned, logger, clock })
  // What could not be stopped must not keep this process.
  if (code !== 0) process.exit(code)
  return code
}

async function rebuild(env: Environment): Promise<number> {
  const settings = readRebuildSettings(env)
  const logger = createLogger({ name: 'memory', level: settings.logLevel })
  const parts = await openParts(settings, { clock: systemClock, random: Math.random, fetch, logger })
  try {
    const shown = progress('rebuilding', Date.now)
    const { fed, failed, waiting } = await rebuildMemory({
      ...parts,
      clock: systemClock,
      logger,
      onProgress: shown.update,
    })
    shown.end()
    print(
      `${fed} memories are in the engine${failed > 0 ? `, ${failed} were refused` : ''}${waiting > 0 ? `, ${waiting} wait for the service to try again` : ''}; the graph is complete`,
    )
    return failed + waiting > 0 ? 1 : 0
  } finally {
    await parts.engine.stop()
    await parts.close()
  }
}
