/** Questions as an agent asks them: by the tool's own code, without anything that it may leave out. */
import { memoryTools } from '../../edges/agents/mcp/tools/memory.ts'
import type { MemoryClient } from '../../memory/client/memory-client.ts'
import type { Shown } from './lines.ts'

interface Result {
  readonly kind: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
}

/** What the slots of the answer hold, best first, each by the value of this key in its metadata, empty where there is none. */
export async function askByTool(client: MemoryClient, text: string, key: string): Promise<Shown[]> {
  const tool = memoryTools.find(({ name }) => name === 'memory_query')
  const backend = {
    send: (_service: string, _method: string, path: string, body: unknown) => client.post(`/${path}`, body),
  }
  const answer = await tool!.call({ mode: 'hybrid', text }, backend as never)
  return slotsOf(answer, key)
}

/** BM25 alone over the same store, by the same service: what the time is compared with. */
export async function askByWords(client: MemoryClient, text: string, key: string): Promise<Shown[]> {
  return slotsOf(await client.post('/queries', { mode: 'naive', text, kinds: ['files'] }), key)
}

function slotsOf(answer: unknown, key: string): Shown[] {
  return (answer as { readonly results: readonly Result[] }).results.map(({ metadata, content }) => ({
    name: metadata[key] ?? '',
    content,
  }))
}
