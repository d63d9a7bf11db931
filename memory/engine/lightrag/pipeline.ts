import type { LightRagApi } from './api.ts'
import { DocumentPage, Pipeline, Track, type DocumentRecord, Deletion } from './shapes.ts'
import { Type } from 'typebox'

export const terminal: ReadonlySet<string> = new Set(['processed', 'failed'])

export async function isBusy(api: LightRagApi): Promise<boolean> {
  return (await api.ask({ path: '/documents/pipeline_status', schema: Pipeline })).busy
}

/** The records of one insert; those of accepted texts may come after those of refused ones, so an absent one says nothing. */
export async function trackRecords(api: LightRagApi, trackId: string): Promise<readonly DocumentRecord[]> {
  const path = `/documents/track_status/${encodeURIComponent(trackId)}`
  return (await api.ask({ path, schema: Track })).documents
}

const pageSize = 200
const mostPages = 500

/** By walking through all of them, newest first: there is no other way to ask for a source. */
export async function findRecord(
  api: LightRagApi,
  isWanted: (record: DocumentRecord) => boolean,
): Promise<DocumentRecord | undefined> {
  for (let page = 1; page <= mostPages; page++) {
    const body = { page, page_size: pageSize, sort_field: 'created_at', sort_direction: 'desc' }
    const { documents, pagination } = await api.ask({
      method: 'POST',
      path: '/documents/paginated',
      body,
      schema: DocumentPage,
    })
    const found = documents.find(isWanted)
    if (found || !pagination.has_next) return found
  }
  return undefined
}

/** False: it works on something and takes no deletion now; nothing was queued. */
export async function orderDeletion(api: LightRagApi, docIds: readonly string[]): Promise<boolean> {
  const body = { doc_ids: docIds, delete_file: false, delete_llm_cache: false }
  const { status } = await api.ask({ method: 'DELETE', path: '/documents/delete_document', body, schema: Deletion })
  return status === 'deletion_started'
}

/** Makes it go on with what it accepted: after a crash it resumes nothing by itself. */
export async function wake(api: LightRagApi): Promise<void> {
  await api.call({
    method: 'POST',
    path: '/documents/reprocess_failed',
    schema: Type.Unknown(),
    nullStatuses: [409, 429, 503],
  })
}
