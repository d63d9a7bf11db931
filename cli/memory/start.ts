/** Opens the memory service of a process, lets it listen, and lets it go. */
import { bearer } from '../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch, Ids } from '../../http/ports.ts'
import { runtimeMetrics } from '../../edges/telemetry/runtime-metrics.ts'
import { composeMemory } from '../../memory/service.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import { openPgHints } from '../../runtime/store/postgres/pg-hints.ts'
import { closingOnFailure, type Opened } from '../../runtime/closing.ts'
import { Registry } from 'prom-client'
import { openParts } from './parts.ts'
import type { MemorySettings } from './settings.ts'

export interface MemoryPorts {
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly fetch: Fetch
  readonly logger: Logger
  readonly version: string
  /** Names this process among those that share the store. */
  readonly owner: string
}

interface RunningMemory {
  readonly url: string
  readonly durability: string
  readonly engine: string
  readonly graph: string
  /** Resolves when the store can be used no more by this process. */
  readonly lost: Promise<Error>
  stop(): Promise<void>
}

export function startMemory(settings: MemorySettings, ports: MemoryPorts): Promise<RunningMemory> {
  return closingOnFailure(ports.clock, (opened) => start(settings, ports, opened))
}

async function start(settings: MemorySettings, ports: MemoryPorts, opened: Opened): Promise<RunningMemory> {
  const { clock, logger, fetch } = ports
  const parts = await openParts(settings, ports)
  const { sql, foreground, engine, graph } = parts
  // Each by itself: a graph that does not close in time keeps no store open.
  opened(() => sql.close())
  opened(() => graph.close())
  opened(() => engine.stop())
  const { databaseUrl, databaseAnswerMs, oidc } = settings
  const hints =
    databaseUrl === ''
      ? undefined
      : openPgHints({
          url: databaseUrl,
          answerMs: databaseAnswerMs,
          owner: ports.owner,
          clock,
          random: ports.random,
          logger,
        })
  if (hints) opened(() => hints.close())
  const metrics = new Registry()
  const service = await composeMemory({
    ...ports,
    sql,
    engine,
    graph,
    foreground,
    authenticate: bearer(oidcVerifier({ ...oidc, needsKeyId: true, clock, fetch })),
    itemTimeoutMs: settings.itemTimeoutMs,
    poolSize: settings.poolSize,
    checks: settings.checks,
    openDocuments: settings.openDocuments,
    basePath: settings.basePath,
    metrics,
    observer: runtimeMetrics(metrics),
    ...(hints ? { hint: hints.hint } : {}),
  })
  opened(() => service.stop())
  const { url } = await service.server.listen(settings.http)
  await service.start()
  hints?.listen(() => service.runtime.wake())
  return {
    url,
    durability: sql.durability,
    engine: (await engine.info()).engine,
    graph: graph.info().store,
    lost: sql.lost ?? new Promise<never>(() => undefined),
    async stop() {
      await service.stop()
      await hints?.close()
      await parts.close()
    },
  }
}
