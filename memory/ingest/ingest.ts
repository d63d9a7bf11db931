/**
 * Works off ingest jobs: the handlers of their effects, their beginning and their end.
 *
 * - J1 The jobs of one repository run one after another, in the order of their acceptance; over all repositories there
 *   are at most as many as workers.
 * - J2 Accepted is a row; whatever a crash leaves between a row and its actor is made good at the next start.
 * - J3 What has ended is told by its row; its items are gone.
 */
import type { Ids } from '../../http/ports.ts'
import type { JobEffect } from '../../machines/ingest-job/effects.ts'
import type { FileGroup, IngestJobEvent } from '../../machines/ingest-job/events.ts'
import type { Clock } from '../../runtime/clock.ts'
import { messageOf, RetryableError, TerminalError } from '../../runtime/errors.ts'
import type { Handlers } from '../../runtime/handlers.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Delivery, EffectContext, JournalRow, Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { LogActionFor } from '../action-log.ts'
import type { RetrievalEngine } from '../engine/port.ts'
import type { Feed } from '../feed/feed.ts'
import { endJob } from './end-job.ts'
import { ItemQueue } from './item-queue.ts'
import { jobAddress, jobIdOf } from './job-view.ts'
import { findJobRow, unfinishedJobs, type JobRow } from './jobs.ts'
import { purgeDropped } from './purge-dropped.ts'
import { storeItems, type ItemResult } from './store-items.ts'

export interface IngestDeps {
  readonly sql: Sql
  readonly feed: Feed
  readonly engine: Pick<RetrievalEngine, 'info'>
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly logActionFor: LogActionFor
  readonly runtime: () => Runtime
  /** MEMORY-LIMITS-5, MEMORY-LIMITS-4: `workerPoolSize`, `ingestItemTimeout`. */
  readonly poolSize: number
  readonly itemTimeoutMs: number
  /** Is told how each item and job came out, for metrics. */
  readonly counted?: {
    readonly item: (outcome: ItemResult['outcome']) => void
    readonly job: (status: string) => void
  }
}

export interface Ingest {
  readonly handlers: Handlers<JobEffect>
  /** Gives an accepted job its actor. May be repeated. */
  begin(row: JobRow): Promise<void>
  /** Takes every step of the journal: jobs that run are counted, those that ended written down. */
  stepped(row: JournalRow): void
  /** Once the runtime runs. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Every file of the request that brings no items. */
const droppedFiles = '*'
const itemsAtOnceWithoutModel = 16
/** What a model has read is not read again when it comes again: a file's texts change one by one. */
const keptByModelMs = 30_000
const laneLookMs = 250
const longestLaneLookMs = 10_000
/** A request takes minutes at most: what is staged for longer was left by a process that died. */
const stagedForMs = 3_600_000

export function createIngest(deps: IngestDeps): Ingest {
  const { sql, clock, runtime, poolSize, itemTimeoutMs, counted } = deps
  const running = new Set<string>()
  const ending = new Set<Promise<void>>()
  const readsByModel = async (): Promise<boolean> => (await deps.engine.info()).llm
  const queue = new ItemQueue({
    clock,
    poolSize,
    itemTimeoutMs,
    together: async () => ((await readsByModel()) ? 1 : itemsAtOnceWithoutModel),
    store: async (job, repo, indexes, signal) =>
      storeItems({ ...deps, keptMs: (await readsByModel()) ? keptByModelMs : 0 }, job, repo, indexes, signal),
  })

  async function begin(row: JobRow): Promise<void> {
    const { rows } = await sql.query('select 1 from ingest_file where job = $1 limit 1', [row.id])
    const groups: FileGroup[] = [
      ...(rows.length > 0 ? [{ file: droppedFiles, purges: true, items: 0 }] : []),
      ...(row.total > 0 ? [{ file: null, purges: false, items: row.total }] : []),
    ]
    // The queue's own bound on a try is exact; this one is for an effect that nobody answers, so it allows for waiting.
    const event: IngestJobEvent = {
      type: 'job.created',
      at: clock.now(),
      repo: row.repo,
      groups,
      itemTimeoutMs: itemTimeoutMs * (poolSize + 2),
    }
    await runtime().deliver({ to: jobAddress(row.id), key: 'created', event })
  }

  async function end(id: string): Promise<void> {
    const row = await findJobRow(sql, id)
    const actor = await runtime().read(jobAddress(id))
    if (!row || actor?.status !== 'done') return
    const view = await endJob(sql, row, actor)
    counted?.job(view.status)
    deps.feed.wake()
  }

  function stepped(row: JournalRow): void {
    const id = jobIdOf(row.address)
    if (row.path.startsWith('running')) running.add(id)
    if (row.status !== 'done') return
    running.delete(id)
    queue.end(id)
    const ended = end(id)
      .catch((error: unknown) => deps.logger.warn({ job: id, error: messageOf(error) }, 'the end of a job is delayed'))
      .finally(() => ending.delete(ended))
    ending.add(ended)
  }

  async function laneIsFree(job: string, repo: string): Promise<void> {
    const before = (await unfinishedJobs(sql, repo)).findIndex(({ id }) => id === job)
    if (before <= 0 && running.size < poolSize) return
    const retryAfterMs = Math.min(longestLaneLookMs, laneLookMs * Math.max(1, before))
    throw new RetryableError('earlier jobs are not done', { retryAfterMs })
  }

  function deliveries(context: EffectContext, attempt: number, results: readonly ItemResult[]): readonly Delivery[] {
    const at = clock.now()
    return results.map((result) => {
      counted?.item(result.outcome)
      const { index } = result
      const event: IngestJobEvent =
        result.outcome === 'failed'
          ? { type: 'item.failed', at, index, attempt, message: result.message }
          : { type: 'item.stored', at, index, outcome: result.outcome, purged: result.purged }
      return { to: context.actor, key: `${context.key}/item/${index}`, event }
    })
  }

  const handlers: Handlers<JobEffect> = {
    awaitLane: {
      concurrency: 4,
      async perform({ job, repo }, context) {
        await laneIsFree(job, repo)
        running.add(job)
        const event: IngestJobEvent = { type: 'job.admitted', at: clock.now() }
        return [{ to: context.actor, key: `${context.key}/admitted`, event }]
      },
    },
    purgeFile: {
      async perform({ job, repo, file }, context) {
        const memories = await purgeDropped(deps, job, repo)
        deps.feed.wake()
        const event: IngestJobEvent = { type: 'file.purged', at: clock.now(), file, memories }
        return [{ to: context.actor, key: `${context.key}/purged`, event }]
      },
    },
    storeItem: {
      concurrency: poolSize,
      async perform({ job, repo, index, attempt }, context) {
        const total = (await findJobRow(sql, job))?.total ?? 0
        const results = await queue.ask(job, repo, total, index)
        context.signal.throwIfAborted()
        const [first] = results
        if (first?.outcome === 'failed' && !first.retryable) throw new TerminalError(first.message)
        return deliveries(context, attempt, results)
      },
    },
  }

  return {
    handlers,
    begin,
    stepped,
    async start() {
      await sql.query('delete from ingest_job where is_staged and created_at < $1', [clock.now() - stagedForMs])
      for (const row of await unfinishedJobs(sql)) {
        const actor = await runtime().read(jobAddress(row.id))
        if (actor === undefined) await begin(row)
        else if (actor.status === 'done') await end(row.id)
        else if (actor.path.startsWith('running')) running.add(row.id)
      }
    },
    async stop() {
      queue.stop()
      await Promise.all(ending)
    },
  }
}
