/**
 * Sends a graph: whole, or what the service does not have of it. After it the service has what a whole push would give.
 * What a file gave goes under a digest of all that (decisions/0055): that an unchanged file's names lead elsewhere now,
 * because another file has changed, shows in it.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from '../../../http/problems/api-error.ts'
import type { MemoryClient } from '../memory-client.ts'
import type { FilePiece } from '../../extract/graph.ts'
import { pushBodies } from './push-bodies.ts'

export interface PushOptions {
  readonly client: MemoryClient
  readonly repo: string
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
const FilePage = Type.Object({
  items: Type.Array(Type.Object({ id: Type.String() })),
  next_cursor: Type.Optional(Type.String()),
})
/** Above this part of the files, one snapshot is less work than so many replacements. */
const mostChanged = 0.5

export async function pushGraph(given: readonly FilePiece[], options: PushOptions): Promise<PushOutcome> {
  const pieces = given.map((piece) => ({ ...piece, sha: digestOf(piece) }))
  const changed = options.full ? undefined : await changes(pieces, options)
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
  for (const body of pushBodies(sent, plan))
    await options.client.post(`/code-graph:bulk?repo=${encodeURIComponent(options.repo)}`, body)
  return {
    mode: plan.mode,
    files: sent.length,
    gone: gone.length,
    entities: sent.reduce((sum, { entities }) => sum + entities.length, 0),
    edges: sent.reduce((sum, { edges }) => sum + edges.length, 0),
  }
}

/** Undefined: the service does not know the repository, so all of it goes. */
async function changes(
  pieces: readonly FilePiece[],
  { client, repo }: PushOptions,
): Promise<{ readonly pieces: readonly FilePiece[]; readonly gone: readonly string[] } | undefined> {
  const missing = await missesOf(pieces, client, repo)
  if (missing === undefined) return undefined
  const now = new Set(pieces.map(({ file }) => file))
  return {
    pieces: pieces.filter(({ file }) => missing.has(file)),
    gone: (await filesOf(client, repo)).filter((file) => !now.has(file)),
  }
}

async function missesOf(
  pieces: readonly FilePiece[],
  client: MemoryClient,
  repo: string,
): Promise<ReadonlySet<string> | undefined> {
  const files = pieces.map(({ file, sha }) => ({ file, sha }))
  try {
    const answer = await client.post(`/code-graph/semantic-misses?repo=${encodeURIComponent(repo)}`, { files })
    if (!Value.Check(Misses, answer)) throw new Error('the knowledge service did not answer which files it lacks')
    return new Set(answer.misses.map(({ file }) => file))
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** Each file that was pushed is an entity whose id is its path. */
async function filesOf(client: MemoryClient, repo: string): Promise<readonly string[]> {
  const files: string[] = []
  for (let cursor: string | undefined; ;) {
    const query = new URLSearchParams({ repo, type: 'file', limit: '500', ...(cursor === undefined ? {} : { cursor }) })
    const page: unknown = await client.get(`/code/entities?${query}`)
    if (!Value.Check(FilePage, page)) throw new Error('the knowledge service answered no list of code entities')
    files.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor
    if (cursor === undefined) return files
  }
}

function digestOf({ sha, entities, edges }: FilePiece): string {
  return createHash('sha256')
    .update(JSON.stringify([sha, entities, edges]))
    .digest('hex')
    .slice(0, 32)
}
