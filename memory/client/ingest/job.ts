/** Ingest jobs of the service, as a client waits for them. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { MemoryClient } from '../memory-client.ts'

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

const Jobs = Type.Object({ items: Type.Array(Job), next_cursor: Type.Optional(Type.String()) })

export interface Waiting {
  readonly client: MemoryClient
  readonly wait: (ms: number) => Promise<void>
}

const pollMs: readonly number[] = [100, 200, 500, 1000, 2000]

/** Resolves with the job as it ended. */
export async function followJob(id: string, { client, wait }: Waiting, onProgress: (job: Job) => void): Promise<Job> {
  for (let round = 0; ; round += 1) {
    const job = readJob(await client.get(`/ingest-jobs/${encodeURIComponent(id)}`))
    onProgress(job)
    if (job.status === 'succeeded' || job.status === 'failed') return job
    await wait(pollMs[Math.min(round, pollMs.length - 1)] ?? 1000)
  }
}

/** Queued ones first: a job that begins in between is in one of the two lists. */
export async function unfinishedJobs(client: MemoryClient, repo: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const status of ['queued', 'running'])
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const query = new URLSearchParams({ repo, status, ...(cursor === '' ? {} : { cursor }) })
      const page: unknown = await client.get(`/ingest-jobs?${query}`)
      if (!Value.Check(Jobs, page)) throw new Error('the knowledge service answered no list of ingest jobs')
      for (const { id } of page.items) found.add(id)
      cursor = page.next_cursor
    }
  return found
}

export function readJob(value: unknown): Job {
  if (!Value.Check(Job, value)) throw new Error('the knowledge service answered no ingest job')
  return value
}
