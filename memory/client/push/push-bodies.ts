/** A graph as bodies of `POST /code-graph:bulk`: one where it fits, else parts of a staged snapshot (GRAPH-RULE-1). */
import type { CodeEdge, CodeEntity, FilePiece } from '../../extract/graph.ts'

export interface PushBody {
  readonly mode: 'snapshot' | 'files'
  readonly commit?: string
  /** An empty `sha`: the file is gone. */
  readonly files: readonly { readonly file: string; readonly sha: string }[]
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly CodeEdge[]
  readonly snapshot_id?: string
  readonly part?: number
  readonly final?: boolean
}

/** MEMORY-LIMITS-1: 32 MiB a body. What lies around the lists has room in the rest. */
const mostBodyBytes = 31 * 1024 * 1024

export interface Plan {
  readonly commit?: string
  readonly gone?: readonly string[]
  readonly mode: 'snapshot' | 'files'
  /** Names a staged snapshot; asked for only when one is needed. */
  readonly snapshotId: () => string
  readonly mostBytes?: number
}

export function* pushBodies(pieces: readonly FilePiece[], plan: Plan): Generator<PushBody> {
  const { mode, commit, gone = [], snapshotId, mostBytes = mostBodyBytes } = plan
  const groups = [...grouped(pieces, mostBytes)]
  const last = groups.length - 1
  const id = groups.length > 1 && mode === 'snapshot' ? snapshotId() : undefined
  for (const [part, group] of groups.entries())
    yield {
      mode,
      ...(commit === undefined ? {} : { commit }),
      files: [
        ...group.map(({ file, sha }) => ({ file, sha })),
        ...(part === last ? gone.map((file) => ({ file, sha: '' })) : []),
      ],
      entities: group.flatMap(({ entities }) => entities),
      edges: group.flatMap(({ edges }) => edges),
      ...(id === undefined ? {} : { snapshot_id: id, part: part + 1, final: part === last }),
    }
}

/** A file stays in one body: what it contributes is replaced as one. */
function* grouped(pieces: readonly FilePiece[], mostBytes: number): Generator<readonly FilePiece[]> {
  let group: FilePiece[] = []
  let size = 0
  for (const piece of pieces) {
    const bytes = Buffer.byteLength(JSON.stringify(piece))
    if (group.length > 0 && size + bytes > mostBytes) {
      yield group
      group = []
      size = 0
    }
    group.push(piece)
    size += bytes
  }
  yield group
}
