/** Sends what is planned, a job at a time: the service takes jobs of one repository in turn anyway. */
import { followJob, readJob, type Waiting } from './job.ts'
import type { Source } from './items.ts'
import type { IngestPlan } from './plan.ts'

interface Batch {
  readonly sources: readonly Source[]
  readonly gone: readonly string[]
}

/** Unless the caller says otherwise. */
const itemsOfJob = 400
/** Well below the 32 MiB of MEMORY-LIMITS-1: what a cut run sent is in the record job by job. */
const mostBytes = 8 * 1024 * 1024

function batches({ changed, gone, commit }: IngestPlan, mostItems: number): Batch[] {
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
  // Of a repository that has only moved on there is nothing to send but where it is.
  if (gone.length === 0 && (all.length > 0 || commit === undefined)) return all
  const [first, ...rest] = all
  return [{ sources: first?.sources ?? [], gone }, ...rest]
}

interface IngestTotals {
  /** False also of a run that somebody cancelled. */
  readonly succeeded: boolean
  /** Files, commits and issues that are not stored as they are now, or not yet removed. */
  readonly due: number
  readonly jobs: number
  readonly done: number
  readonly failed: number
  readonly skipped: number
  readonly purged: number
  readonly errors: readonly string[]
}

interface IngestRun extends Waiting {
  readonly repo: string
  /** Jobs at most; what is left over is due for the next run. */
  readonly mostJobs?: number
  /** Of a job. */
  readonly mostItems?: number
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * What failed is not in the record afterwards, so the next run sends it again. The commit goes with the last job, and
 * only where all before it succeeded: it says that everything of it is stored.
 */
export async function ingest(plan: IngestPlan, run: IngestRun): Promise<IngestTotals> {
  const { client, repo, mostJobs = Infinity, mostItems = itemsOfJob, onProgress } = run
  const totals = { succeeded: true, jobs: 0, done: 0, failed: 0, skipped: 0, purged: 0, errors: [] as string[] }
  const all = plan.changed.length
  const jobs = batches(plan, mostItems)
  let sent = 0
  for (const [index, { sources, gone }] of jobs.slice(0, mostJobs).entries()) {
    const completes = index === jobs.length - 1 && totals.succeeded && plan.commit !== undefined
    const body = {
      repo,
      reconcile_files: [...gone, ...sources.map(({ file }) => file)],
      ...(completes ? { commit: plan.commit } : {}),
      items: sources.map(({ item, sha }) => ({ ...item, digest: sha })),
    }
    const accepted = readJob(await client.post('/memories:bulk', body))
    const job = await followJob(accepted.id, run, ({ done, failed, skipped }) =>
      onProgress?.(sent + done + failed + skipped, all),
    )
    sent += sources.length
    totals.succeeded &&= job.status === 'succeeded'
    totals.jobs += 1
    totals.done += job.done
    totals.failed += job.failed
    totals.skipped += job.skipped
    totals.purged += job.purged
    totals.errors.push(...job.errors.map(({ idempotency_key: key, message }) => `${key ?? '?'}: ${message}`))
    onProgress?.(sent, all)
    if (job.reason === 'cancelled') break
  }
  const unsent = jobs.slice(totals.jobs).reduce((sum, job) => sum + job.sources.length + job.gone.length, 0)
  return { ...totals, due: unsent + totals.failed }
}
