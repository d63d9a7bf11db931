/** What the service has of a repository (REPO-INGEST-11): the same for every machine. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { MemoryClient } from '../memory-client.ts'
import { followJob, unfinishedJobs, type Job, type Waiting } from './job.ts'

export interface IngestRecord {
  /** That of the last ingest which succeeded as a whole. */
  readonly commit: string | null
  /** By file: what its memories were made from. */
  readonly digests: ReadonlyMap<string, string>
}

/** Of a service that has nothing. */
export const noRecord: IngestRecord = { commit: null, digests: new Map() }

const RecordPage = Type.Object({
  commit: Type.Union([Type.String(), Type.Null()]),
  items: Type.Array(Type.Object({ file: Type.String(), digest: Type.String() })),
  next_cursor: Type.Optional(Type.String()),
})

const pageItems = '500'

/**
 * The record when all jobs have ended that the repository had: whoever began them, their files are in it then
 * (REPO-INGEST-8). `onPending` gets a job each time that it was looked at.
 */
export async function settledRecord(
  repo: string,
  waiting: Waiting,
  onPending: (job: Job) => void = () => undefined,
): Promise<IngestRecord> {
  for (const id of await unfinishedJobs(waiting.client, repo)) await followJob(id, waiting, onPending)
  return readRecord(waiting.client, repo)
}

async function readRecord(client: MemoryClient, repo: string): Promise<IngestRecord> {
  const digests = new Map<string, string>()
  for (let cursor: string | undefined; ;) {
    const query = new URLSearchParams({ repo, limit: pageItems, ...(cursor === undefined ? {} : { cursor }) })
    const page: unknown = await client.get(`/ingest-record?${query}`)
    if (!Value.Check(RecordPage, page)) throw new Error('the knowledge service answered no record of an ingest')
    for (const { file, digest } of page.items) digests.set(file, digest)
    cursor = page.next_cursor
    if (cursor === undefined) return { commit: page.commit, digests }
  }
}
