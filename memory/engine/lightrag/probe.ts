import { EngineError } from '../port.ts'
import type { LightRagApi } from './api.ts'
import { isBusy } from './pipeline.ts'
import { Document, Health } from './shapes.ts'

interface Probed {
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

async function probe(api: LightRagApi): Promise<Probed> {
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

/** The server as it was when it was first reached, and whether it can be worked with now. */
export class ProbedServer {
  readonly #api: LightRagApi
  #probed: Probed | undefined

  constructor(api: LightRagApi) {
    this.#api = api
  }

  /** Asked once it can be reached, and again until it is one that we can speak with. */
  async known(): Promise<Probed> {
    if (this.#probed && this.#probed.missing.length === 0) return this.#probed
    this.#probed = await probe(this.#api)
    return this.#probed
  }

  /** Why it can't be worked with, for an operator; empty: it can. */
  async faults(): Promise<string[]> {
    try {
      const { missing } = await this.known()
      if (missing.length > 0)
        return [`this version of LightRAG has no ${missing.join(', ')}: use a version that docs/memory.md names`]
      // What is known of it was answered without the key, and may be old.
      await isBusy(this.#api)
      return []
    } catch (error) {
      // Who comes back may be of another version.
      this.#probed = undefined
      return [error instanceof EngineError ? error.message : 'LightRAG does not answer']
    }
  }
}
