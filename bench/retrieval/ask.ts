/** Questions as an agent asks them: by the tool's own code, without anything that it may leave out. */
import { memoryTools } from '../../edges/agents/mcp/tools/memory.ts'
import type { MemoryClient } from '../../memory/client/memory-client.ts'
import type { Shown } from './lines.ts'

interface Result {
  readonly kind: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
}

interface AskOptions {
  readonly client: MemoryClient
  /** A slot is named by the value of this key in its metadata, and by nothing where there is none. */
  readonly key: string
  /** The one that a Task would work on; a slot of another has no name. Undefined: none. */
  readonly repository?: string
}

/** What the slots of the answer hold, best first. */
export async function askByTool(text: string, { client, key, repository }: AskOptions): Promise<Shown[]> {
  const tool = memoryTools.find(({ name }) => name === 'memory_query')
  const backend = {
    pod: { repositories: repository === undefined ? [] : [repository] },
    send: (_service: string, _method: string, path: string, body: unknown) => client.post(`/${path}`, body),
  }
  const answer = await tool!.call({ mode: 'hybrid', text }, backend as never)
  return slotsOf(answer, key, repository)
}

/** BM25 alone over the same store, by the same service: what the time is compared with. */
export async function askByWords(text: string, { client, key, repository }: AskOptions): Promise<Shown[]> {
  const answer = await client.post('/queries', { mode: 'naive', text, kinds: ['files'], filter: { repo: repository } })
  return slotsOf(answer, key, repository)
}

function slotsOf(answer: unknown, key: string, repository?: string): Shown[] {
  return (answer as { readonly results: readonly Result[] }).results.map(({ metadata, content }) => ({
    name: repository === undefined || metadata['repo'] === repository ? (metadata[key] ?? '') : '',
    content,
  }))
}
