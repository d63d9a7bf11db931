/**
 * A server on loopback that answers as LightRAG of either generation does, its traps included: 409 or `duplicated` for a
 * source that it has, `dup-` records, deletions that come later than they are said to or not at all, work that stops and
 * stays so, `status: failure` for nothing found. What it answers was taken down from 1.4.9.11 and 1.5.7.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LightRagState, namesOf, type Generation, type Record as DocumentRecord } from './state.ts'

export interface LightRagStandin {
  readonly url: string
  readonly state: LightRagState
  close(): Promise<void>
}

export const apiKey = 'test-key'

type Body = Readonly<Record<string, unknown>>
type Reply = readonly [status: number, body: unknown]
type Route = (state: LightRagState, request: { readonly body: Body; readonly url: URL }) => Reply

export async function startLightRag(generation: Generation): Promise<LightRagStandin> {
  const state = new LightRagState(generation)
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    async close() {
      state.isStopped = true
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(state: LightRagState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '/', 'http://localhost')
  const name = `${request.method} ${url.pathname.replace(/(track_status)\/.*/, '$1')}`
  state.calls.push(name)
  const key = request.headers['x-api-key']
  const isOpen = url.pathname === '/health' || url.pathname === '/openapi.json'
  const route = routes[name]
  const [status, body]: Reply =
    !isOpen && key !== apiKey
      ? [403, { detail: key === undefined ? 'API Key required' : 'Invalid API Key' }]
      : route === undefined
        ? [404, { detail: 'Not Found' }]
        : route(state, { url, body: text === '' ? {} : (JSON.parse(text) as Body) })
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const routes: Readonly<Record<string, Route>> = {
  'GET /health': (state) => [
    200,
    {
      status: 'healthy',
      core_version: state.generation === '1.5' ? '1.5.7' : 'v1.4.9.11',
      configuration: { embedding_model: 'scripted' },
    },
  ],
  'GET /openapi.json': (state) => [200, { paths: pathsOf(state.generation) }],
  'POST /documents/text': insertText,
  'GET /documents/track_status': (state, { url }) => {
    const trackId = decodeURIComponent(url.pathname.split('/').at(-1)!)
    const documents = [...state.records.values()].filter((one) => one.trackId === trackId).map(shown)
    return [200, { track_id: trackId, documents, total_count: documents.length, status_summary: {} }]
  },
  'POST /documents/paginated': (state, { body }) => {
    const [page, size] = [Number(body['page']), Number(body['page_size'])]
    const all = [...state.records.values()].toReversed().map(shown)
    const hasNext = all.length > page * size
    return [
      200,
      {
        documents: all.slice((page - 1) * size, page * size),
        pagination: { page, page_size: size, has_next: hasNext },
      },
    ]
  },
  'DELETE /documents/delete_document': (state, { body }) => {
    const ids = body['doc_ids'] as string[]
    if (ids.length === 0) return [422, { detail: 'doc_ids' }]
    return state.delete(ids)
      ? [200, { status: 'deletion_started', message: 'initiated', doc_id: ids.join(', ') }]
      : [200, { status: 'busy', message: 'Cannot delete documents while pipeline is busy', doc_id: '' }]
  },
  'GET /documents/pipeline_status': (state) => [200, { busy: state.isBusy, latest_message: '' }],
  'POST /documents/reprocess_failed': (state) => {
    state.reprocess()
    return [200, { status: 'reprocessing_started', message: '' }]
  },
  'POST /query/data': (state, { body }) => queryData(state, body),
  'POST /query': (state, { body }) => {
    if (isTooLarge(state, body)) return [400, { detail: 'Validation error' }]
    // The model alone, over what the query itself holds.
    if (body['mode'] === 'bypass') {
      const [, passages = ''] = String(body['query']).split('Passages:\n\n')
      return [200, { response: `What the model says of ${passages.replace('\n', ': ')}`, references: [] }]
    }
    const chunks = ranked(state, String(body['query']), Number(body['chunk_top_k'] ?? 20))
    if (chunks.length === 0)
      return [
        200,
        { response: "Sorry, I'm not able to provide an answer to that question.[no-context]", references: [] },
      ]
    const references = chunks.map((one, at) => ({ reference_id: String(at + 1), file_path: one.source, content: null }))
    return [200, { response: `What the model says of ${chunks.length} texts.`, references }]
  },
  'GET /graph/label/search': (state, { url }) => {
    const q = (url.searchParams.get('q') ?? '').toLowerCase()
    return [200, labels(state).filter((name) => name.toLowerCase().includes(q))]
  },
  'GET /graph/label/popular': (state) => [200, labels(state)],
  'GET /graphs': (state, { url }) => {
    const label = url.searchParams.get('label')
    const holders = state.processed().filter((one) => one.entities.includes(label ?? ''))
    const names = [...new Set(holders.flatMap((one) => one.entities))]
    const nodes = names.map((name) => ({ id: name, labels: [name], properties: entityOf(state, name) }))
    const edges = relationsOf(state, holders).map((one) => ({
      id: `${one.src_id}-${one.tgt_id}`,
      type: 'DIRECTED',
      source: one.src_id,
      target: one.tgt_id,
      properties: one,
    }))
    return [200, { nodes, edges, is_truncated: false }]
  },
}

function insertText(state: LightRagState, { body }: { readonly body: Body }): Reply {
  const [text, source] = [String(body['text']).trim(), String(body['file_source'])]
  if (text === '') return [422, { detail: 'text' }]
  const name = state.generation === '1.5' ? source.split('/').at(-1)! : source
  const [sameSource, sameText] = [state.bySource(name), state.byText(text)]
  const accepted = (trackId: string): Reply => [
    200,
    { status: 'success', message: 'Text successfully received.', track_id: trackId },
  ]
  if (state.generation === '1.4') {
    const known = sameSource ?? sameText
    if (known)
      return [
        200,
        { status: 'duplicated', message: `already exists (Status: ${known.status})`, track_id: known.trackId },
      ]
  } else if (sameSource) {
    return [
      409,
      {
        detail: `Document storage already contains '${name}' (Status: ${sameSource.status}). Delete the existing record before re-inserting.`,
      },
    ]
  }
  const trackId = state.newTrack()
  if (sameText) state.addRefusal(name, text, trackId, sameText, 'content_hash')
  else state.add(name, text, trackId)
  return accepted(trackId)
}

function shown(record: DocumentRecord): object {
  return {
    id: record.id,
    content_summary: record.text.slice(0, 80),
    content_length: record.text.length,
    status: record.status,
    track_id: record.trackId,
    error_msg: record.fault,
    metadata: record.metadata,
    file_path: record.source,
  }
}

/** What 1.5 refuses, and 1.4 does not. */
const mostTopK = 1_000
const longestQuery = 64 * 1024

function isTooLarge(state: LightRagState, body: Body): boolean {
  const counts = [body['top_k'], body['chunk_top_k']].map((count) => Number(count ?? 1))
  return (
    state.generation === '1.5' &&
    (counts.some((count) => count > mostTopK) || String(body['query']).length > longestQuery)
  )
}

function queryData(state: LightRagState, body: Body): Reply {
  const query = String(body['query'])
  if (isTooLarge(state, body)) return [400, { status: 'failure', message: 'Validation error', data: {}, metadata: {} }]
  if (query.trim().length < 3) return [422, { status: 'failure', message: 'Validation error', data: {}, metadata: {} }]
  const mode = String(body['mode'])
  const keywords = (body['ll_keywords'] as string[] | undefined) ?? namesOf(query)
  const named = state.processed().filter((one) => one.entities.some((name) => keywords.includes(name)))
  const found = mode === 'naive' ? ranked(state, query, Number(body['chunk_top_k'])) : named
  if (found.length === 0)
    return [200, { status: 'failure', message: 'nothing', data: {}, metadata: { failure_reason: 'no_results', mode } }]
  const holders = mode === 'naive' ? [] : named
  const entities = [...new Set(holders.flatMap((one) => one.entities))].map((name) => ({
    entity_name: name,
    ...entityOf(state, name),
  }))
  const chunks = found.slice(0, Number(body['chunk_top_k'])).map((one, at) => ({
    reference_id: String(at + 1),
    content: one.text,
    file_path: one.source,
    chunk_id: chunkIdOf(state, one),
  }))
  return [
    200,
    {
      status: 'success',
      message: '',
      data: { entities, relationships: relationsOf(state, holders), chunks, references: [] },
      metadata: { query_mode: mode },
    },
  ]
}

/** By how many words they share, above a threshold as its `cosine_threshold` is one. */
function ranked(state: LightRagState, query: string, count: number): DocumentRecord[] {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  const asked = words(query)
  const shared = (record: DocumentRecord): number => [...words(record.text)].filter((word) => asked.has(word)).length
  return state
    .processed()
    .map((record) => ({ record, score: shared(record) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ record }) => record)
}

function chunkIdOf(state: LightRagState, record: DocumentRecord): string {
  return state.generation === '1.5' ? `${record.id}-chunk-000` : record.id.replace('doc-', 'chunk-')
}

function labels(state: LightRagState): string[] {
  return [...new Set(state.processed().flatMap((one) => one.entities))]
}

function entityOf(
  state: LightRagState,
  name: string,
): { entity_type: string; description: string; file_path: string; source_id: string } {
  const holders = state.processed().filter((one) => one.entities.includes(name))
  return {
    entity_type: 'concept',
    description: `${name} is named in the text.`,
    source_id: holders.map((one) => chunkIdOf(state, one)).join('<SEP>'),
    file_path: holders.map((one) => one.source).join('<SEP>'),
  }
}

interface Relation {
  readonly src_id: string
  readonly tgt_id: string
  readonly [key: string]: unknown
}

/** Undirected: the pair is sorted. */
function relationsOf(state: LightRagState, holders: readonly DocumentRecord[]): Relation[] {
  const pairs = new Map<string, Relation>()
  for (const { entities } of holders) {
    for (const [at, name] of entities.entries()) {
      const other = entities[at + 1]
      if (other === undefined) continue
      const [one, two] = [name, other].toSorted() as [string, string]
      const both = state.processed().filter((record) => record.entities.includes(one) && record.entities.includes(two))
      const sources = both.map((record) => record.source).join('<SEP>')
      pairs.set(`${one}-${two}`, {
        src_id: one,
        tgt_id: two,
        description: `${one} stands beside ${two}.`,
        keywords: 'stands beside',
        weight: 1,
        file_path: sources,
      })
    }
  }
  return [...pairs.values()]
}

function pathsOf(generation: Generation): object {
  const common = {
    '/documents/text': { post: {} },
    '/documents/track_status/{track_id}': { get: {} },
    '/documents/paginated': { post: {} },
    '/documents/delete_document': { delete: {} },
    '/documents/pipeline_status': { get: {} },
    '/documents/reprocess_failed': { post: {} },
    '/query': { post: {} },
    '/query/data': { post: {} },
    '/graphs': { get: {} },
    '/graph/label/search': { get: {} },
    '/graph/label/popular': { get: {} },
  }
  return generation === '1.5'
    ? { ...common, '/graph/entity/delete': { delete: {} } }
    : { ...common, '/documents/delete_entity': { delete: {} } }
}
