/** Sends what has changed since the last run, a job at a time: the service takes jobs of one repository in turn anyway. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from '../../../http/api-error.ts'
import type { MemoryClient } from '../memory-client.ts'
import type { Source } from './items.ts'
import type { IngestState, StateFile } from './state.ts'

export interface IngestPlan {
  readonly changed: readonly Source[]
  /** Files that were stored and are no more. */
  readonly gone: readonly string[]
}

/** `kept`: files of sorts that this run did not look at. */
export function planIngest(
  sources: readonly Source[],
  { stored }: Pick<IngestState, 'stored'>,
  kept: (file: string) => boolean,
): IngestPlan {
  const now = new Set(sources.map(({ file }) => file))
  return {
    changed: sources.filter(({ file, sha }) => stored[file] !== sha),
    gone: Object.keys(stored).filter((file) => !now.has(file) && !kept(file)),
  }
}

export interface Batch {
  readonly sources: readonly Source[]
  readonly gone: readonly string[]
}

const mostItems = 400
/** Well below the 32 MiB of MEMORY-LIMITS-1: a job is what is lost when a run is cut. */
const mostBytes = 8 * 1024 * 1024

function batches({ changed, gone }: IngestPlan): Batch[] {
  const all: { sources: Source[]; gone: readonly string[] }[] = []
  let bytes = 0
  for (const source of changed) {
    const size = Buffer.byteLength(source.item.content)
    const open = all.at(-1)
    if (open === undefined || open.sources.length >= mostItems || bytes + size > mostBytes) {
      all.push({ sources: [source], gone: [] })
      bytes = size
    } else {
      open.sources.push(source)
      bytes += size
    }
  }
  if (gone.length === 0) return all
  const [first, ...rest] = all
  return [{ sources: first?.sources ?? [], gone }, ...rest]
}

const Job = Type.Object({
  id: Type.String(),
  status: Type.String(),
  total: Type.Integer(),
  done: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  purged: Type.Integer(),
  reason: Type.Optional(Type.String()),
  errors: Type.Array(
    Type.Object({ idempotency_key: Type.Union([Type.String(), Type.Null()]), message: Type.String() }),
  ),
})
export type Job = Static<typeof Job>

export interface IngestTotals {
  readonly jobs: number
  readonly done: number
  readonly failed: number
  readonly skipped: number
  readonly purged: number
  readonly errors: readonly string[]
}

export interface IngestRun {
  readonly client: MemoryClient
  readonly repo: string
  readonly state: StateFile
  readonly wait: (ms: number) => Promise<void>
  readonly onProgress?: (done: number, total: number) => void
}

const pollMs: readonly number[] = [100, 200, 500, 1000, 2000]

export async function ingest(plan: IngestPlan, run: IngestRun): Promise<IngestTotals> {
  const { client, repo, state, onProgress } = run
  const totals = { jobs: 0, done: 0, failed: 0, skipped: 0, purged: 0, errors: [] as string[] }
  const all = plan.changed.length
  let sent = 0
  for (const { sources, gone } of batches(plan)) {
    const body = {
      repo,
      reconcile_files: [...gone, ...sources.map(({ file }) => file)],
      items: sources.map(({ item }) => item),
    }
    const accepted = readJob(await client.post('/memories:bulk', body))
    const stored = Object.fromEntries(sources.map(({ file, sha }) => [file, sha]))
    state.write({ ...state.read(), pending: { job: accepted.id, stored, gone: [...gone] } })
    const job = await follow(accepted.id, run, (done) => onProgress?.(sent + done, all))
    settle(state, job)
    sent += sources.length
    totals.jobs += 1
    totals.done += job.done
    totals.failed += job.failed
    totals.skipped += job.skipped
    totals.purged += job.purged
    totals.errors.push(...job.errors.map(({ idempotency_key: key, message }) => `${key ?? '?'}: ${message}`))
    onProgress?.(sent, all)
    if (job.reason === 'cancelled') break
  }
  return totals
}

/** A job of a run that was cut: whatever became of it, the state says it afterwards. */
export async function finishPending(run: IngestRun): Promise<Job | undefined> {
  const { pending } = run.state.read()
  if (pending === null) return undefined
  try {
    const job = await follow(pending.job, run)
    settle(run.state, job)
    return job
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    run.state.write({ ...run.state.read(), pending: null })
    return undefined
  }
}

async function follow(id: string, { client, wait }: IngestRun, onDone?: (done: number) => void): Promise<Job> {
  for (let round = 0; ; round += 1) {
    const job = readJob(await client.get(`/ingest-jobs/${encodeURIComponent(id)}`))
    onDone?.(job.done + job.failed + job.skipped)
    if (job.status === 'succeeded' || job.status === 'failed') return job
    await wait(pollMs[Math.min(round, pollMs.length - 1)] ?? 1000)
  }
}

/** Files of items that failed stay as they were known: the next run sends them again. A job tells its first hundred faults. */
function settle(state: StateFile, job: Job): void {
  const before = state.read()
  if (before.pending === null) return
  const failed = new Set(job.errors.map(({ idempotency_key: key }) => key))
  const unsure = job.status === 'failed' && (job.reason === 'cancelled' || job.failed > job.errors.length)
  const stored = { ...before.stored }
  for (const file of before.pending.gone) if (!unsure) delete stored[file]
  for (const [file, sha] of Object.entries(before.pending.stored))
    if (unsure || [...failed].some((key) => key !== null && key.includes(`:${file}:`)) || failed.has(null))
      delete stored[file]
    else stored[file] = sha
  state.write({ ...before, stored, pending: null })
}

function readJob(value: unknown): Job {
  if (!Value.Check(Job, value)) throw new Error('the knowledge service answered no ingest job')
  return value
}
