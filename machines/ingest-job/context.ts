import type { FileGroup } from './events.ts'

export interface ItemFault {
  readonly index: number
  readonly message: string
  readonly attempts: number
}

/** Plain JSON. The items themselves lie in the memory database; here is where the job stands in them. */
export interface IngestJobContext {
  readonly id: string
  readonly repo: string
  /** Those to purge that bring no items first, then as in the request. */
  readonly groups: readonly FileGroup[]
  readonly total: number
  readonly itemTimeoutMs?: number
  /** The cursor: a restart resumes at the first item without a result. */
  readonly group: number
  readonly isPurged: boolean
  /** Item within the group, and over all. */
  readonly item: number
  readonly index: number
  readonly attempt: number
  readonly stored: number
  readonly skipped: number
  readonly failed: number
  readonly purged: number
  /** The first so many; `failed` counts all. */
  readonly errors: readonly ItemFault[]
  readonly reason: string
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export function newIngestJob(id: string): IngestJobContext {
  return {
    id,
    repo: '',
    groups: [],
    total: 0,
    group: 0,
    isPurged: false,
    item: 0,
    index: 0,
    attempt: 0,
    stored: 0,
    skipped: 0,
    failed: 0,
    purged: 0,
    errors: [],
    reason: '',
    createdAt: 0,
    startedAt: null,
    finishedAt: null,
  }
}
