import type { LightRagApi } from './api.ts'
import { Document, Health } from './shapes.ts'

export interface Probed {
  readonly version: string | null
  readonly embeddingModel: string | null
  /** What the server would have to have and has not: its generation is neither 1.4 nor 1.5. */
  readonly missing: readonly string[]
}

/** What we call; said by the server's own document, not concluded from its version. */
const needed = [
  'post /documents/text',
  'get /documents/track_status/{track_id}',
  'post /documents/paginated',
  'delete /documents/delete_document',
  'get /documents/pipeline_status',
  'post /documents/reprocess_failed',
  'post /query',
  'post /query/data',
  'get /graphs',
  'get /graph/label/search',
  'get /graph/label/popular',
] as const

export async function probe(api: LightRagApi): Promise<Probed> {
  const { paths } = await api.ask({ path: '/openapi.json', schema: Document })
  const health = await api.ask({ path: '/health', schema: Health })
  const model = health.configuration?.['embedding_model']
  return {
    version: health.core_version?.replace(/^v/, '') ?? null,
    embeddingModel: typeof model === 'string' ? model : null,
    missing: needed.filter((one) => {
      const [method, path] = one.split(' ') as [string, string]
      return paths[path]?.[method] === undefined
    }),
  }
}
