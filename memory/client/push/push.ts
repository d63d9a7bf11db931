/** Sends a graph: whole, or what the service does not have of it. After it the service has what a whole push would give. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from '../../../http/api-error.ts'
import type { MemoryClient } from '../memory-client.ts'
import type { FilePiece } from '../../extract/graph.ts'
import { pushBodies } from './push-bodies.ts'
import { digestOf, type PushRecord } from './push-record.ts'

export interface PushOptions {
  readonly client: MemoryClient
  readonly repo: string
  readonly record: PushRecord
  readonly full: boolean
  readonly newId: () => string
  readonly commit?: string
  readonly mostBytes?: number
}

export interface PushOutcome {
  readonly mode: 'snapshot' | 'files' | 'nothing'
  readonly files: number
  readonly gone: number
  readonly entities: number
  readonly edges: number
}

const Misses = Type.Object({ misses: Type.Array(Type.Object({ file: Type.String() })) })
const Head = Type.Object({ version: Type.Number() })
/** Above this part of the files, one snapshot is less work than so many replacements. */
const mostChanged = 0.5

export async function pushGraph(pieces: readonly FilePiece[], options: PushOptions): Promise<PushOutcome> {
  const changed = options.full ? undefined : await changes(pieces, options)
  const digests = Object.fromEntries(pieces.map((piece) => [piece.file, digestOf(piece)]))
  if (changed !== undefined && changed.pieces.length + changed.gone.length === 0)
    return { mode: 'nothing', files: 0, gone: 0, entities: 0, edges: 0 }
  const whole = changed === undefined || changed.pieces.length > pieces.length * mostChanged
  const sent = whole ? pieces : changed.pieces
  const gone = whole ? [] : changed.gone
  const plan = {
    mode: whole ? ('snapshot' as const) : ('files' as const),
    gone,
    snapshotId: options.newId,
    ...(options.commit === undefined ? {} : { commit: options.commit }),
    ...(options.mostBytes === undefined ? {} : { mostBytes: options.mostBytes }),
  }
  let answer: unknown
  for (const body of pushBodies(sent, plan))
    answer = await options.client.post(`/code-graph:bulk?repo=${encodeURIComponent(options.repo)}`, body)
  options.record.write({ files: digests, version: Value.Check(Head, answer) ? answer.version : null })
  return {
    mode: plan.mode,
    files: sent.length,
    gone: gone.length,
    entities: sent.reduce((sum, { entities }) => sum + entities.length, 0),
    edges: sent.reduce((sum, { edges }) => sum + edges.length, 0),
  }
}

/** Undefined: nothing to build on, so all of it goes. */
async function changes(
  pieces: readonly FilePiece[],
  { client, repo, record }: PushOptions,
): Promise<{ pieces: readonly FilePiece[]; gone: readonly string[] } | undefined> {
  const before = record.read()
  // Whoever else pushed since may have had other files around: what his links say is not known here.
  if (before === undefined || (await versionOf(client, repo)) !== before.version) return undefined
  const files = pieces.map(({ file, sha }) => ({ file, sha }))
  const answer = await client.post(`/code-graph/semantic-misses?repo=${encodeURIComponent(repo)}`, { files })
  if (!Value.Check(Misses, answer)) return undefined
  const missing = new Set(answer.misses.map(({ file }) => file))
  const now = new Set(pieces.map(({ file }) => file))
  return {
    pieces: pieces.filter((piece) => missing.has(piece.file) || before.files[piece.file] !== digestOf(piece)),
    gone: Object.keys(before.files).filter((file) => !now.has(file)),
  }
}

async function versionOf(client: MemoryClient, repo: string): Promise<number | null | undefined> {
  try {
    const stats = await client.get(`/code-graph/stats?repo=${encodeURIComponent(repo)}`)
    return Value.Check(Head, stats) ? stats.version : null
  } catch (error) {
    // A repository that the service has never heard of.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
