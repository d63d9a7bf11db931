/**
 * The model behind a LightRAG server in tests: an OpenAI-compatible API that recognises the server's prompts, of both its
 * generations, and answers by rule. Entities are the words in CamelCase; vectors are made of hashed words, so that texts
 * with common words are near each other. Words in a text make it misbehave, see `modelMarks`.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const modelMarks = {
  /** The extraction of this text is refused with 400. */
  refuse: 'MODEL-REFUSES',
  /** The extraction answers prose: nothing can be read from it. */
  prose: 'MODEL-CHATS',
  /** The extraction waits until `release` is called. */
  hold: 'MODEL-WAITS',
} as const

export interface LightRagModel {
  /** Ends in `/v1`. */
  readonly url: string
  /** Lets every extraction go that waits, and those to come. */
  release(): void
  /** Extractions wait again. */
  hold(): void
  close(): Promise<void>
}

export const dimensions = 384

interface Message {
  readonly role: string
  readonly content: string
}

export async function startLightRagModel(): Promise<LightRagModel> {
  let gate = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    answer(request, response, () => gate.promise).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    release: () => gate.resolve(),
    hold: () => void (gate = Promise.withResolvers()),
    async close() {
      gate.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  released: () => Promise<void>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
  if (request.url === '/v1/embeddings') return json(response, 200, embeddings(body))
  const messages = body['messages'] as Message[]
  const all = messages.map((message) => message.content).join('\n')
  const isExtraction = all.includes('responsible for extracting entities')
  if (isExtraction && all.includes(modelMarks.hold)) await released()
  if (isExtraction && all.includes(modelMarks.refuse))
    return json(response, 400, { error: { message: 'the model refuses' } })
  const text =
    isExtraction && all.includes(modelMarks.prose)
      ? 'I would rather talk about something else.'
      : completion(messages, all)
  if (body['stream'] === true) return stream(response, text)
  json(response, 200, {
    id: 'scripted',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}

function completion(messages: readonly Message[], all: string): string {
  const last = messages.at(-1)?.content ?? ''
  if (last.includes('Based on the last extraction task')) return '<|COMPLETE|>'
  if (all.includes('responsible for extracting entities')) return extraction(inputOf(last))
  if (all.includes('expert keyword extractor')) return keywords(last)
  if (all.includes('proficient in data curation')) return 'What several descriptions say of it, as one.'
  return `Answer of the scripted model: ${names(last).slice(0, 5).join(', ')}.`
}

/** The text lies in the fence after the last heading that names it; the two generations write the heading otherwise. */
function inputOf(prompt: string): string {
  const from = Math.max(prompt.lastIndexOf('<Input Text>'), prompt.lastIndexOf('---Input Text---'))
  return /```\n([\s\S]*?)\n```/.exec(prompt.slice(from))?.[1] ?? prompt.slice(from)
}

function extraction(text: string): string {
  const found = names(text)
  const entities = found.map((name) => `entity<|#|>${name}<|#|>Concept<|#|>${name} is named in the text.`)
  const relations = found
    .slice(1)
    .map(
      (name, at) =>
        `relation<|#|>${found[at]}<|#|>${name}<|#|>names,stands beside<|#|>${found[at]} stands beside ${name}.`,
    )
  return [...entities, ...relations, '<|COMPLETE|>'].join('\n')
}

function keywords(prompt: string): string {
  const query = /User Query:\s*(.*)/.exec(prompt.slice(prompt.lastIndexOf('User Query')))?.[1] ?? ''
  const found = names(query)
  return JSON.stringify({
    high_level_keywords: found.length > 0 ? ['names', 'stands beside'] : [],
    low_level_keywords: found,
  })
}

function names(text: string): string[] {
  return [...new Set([...text.matchAll(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g)].map(([name]) => name))]
}

function embeddings(body: Record<string, unknown>): object {
  const input = Array.isArray(body['input']) ? (body['input'] as string[]) : [String(body['input'])]
  const asBase64 = body['encoding_format'] === 'base64'
  const data = input.map((text, index) => {
    const vector = vectorOf(text)
    const embedding = asBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    return { object: 'embedding', index, embedding }
  })
  return { object: 'list', data, model: 'scripted', usage: { prompt_tokens: 1, total_tokens: 1 } }
}

export function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const hash = createHash('md5').update(word).digest()
    vector[hash.readUInt16LE(0) % dimensions]! += (hash[2]! & 1) === 0 ? 1 : -1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function stream(response: ServerResponse, text: string): void {
  const piece = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${piece({ role: 'assistant', content: text }, null)}${piece({}, 'stop')}data: [DONE]\n\n`)
}
