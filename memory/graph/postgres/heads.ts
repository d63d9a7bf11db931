import type { Queryable } from '../../../runtime/store/sql.ts'
import type { GraphHead, GraphPush } from '../port.ts'

/** A head, and where what it stands for lies. */
export interface StoredHead {
  readonly head: GraphHead
  readonly generation: number
}

interface HeadRow {
  readonly repo: string
  readonly generation: number
  readonly version: number
  readonly commit_sha: string | null
  readonly pushed_at: number
}

const fields = 'repo, generation, version, commit_sha, pushed_at'

export async function readHead(sql: Queryable, repo: string): Promise<StoredHead | undefined> {
  const { rows } = await sql.query<HeadRow>(`select ${fields} from code_graph where repo = $1`, [repo])
  return rows[0] && toHead(rows[0])
}

export async function lockHead(tx: Queryable, repo: string): Promise<StoredHead | undefined> {
  const { rows } = await tx.query<HeadRow>(`select ${fields} from code_graph where repo = $1 for update`, [repo])
  return rows[0] && toHead(rows[0])
}

export async function readHeads(sql: Queryable): Promise<StoredHead[]> {
  const { rows } = await sql.query<HeadRow>(`select ${fields} from code_graph order by repo collate "C"`)
  return rows.map(toHead)
}

const upsert = `insert into code_graph (${fields}) values ($1, $2, 1, $3, $4)
on conflict (repo) do update set generation = excluded.generation, version = code_graph.version + 1,
  commit_sha = case when $5 then excluded.commit_sha else code_graph.commit_sha end, pushed_at = excluded.pushed_at
returning ${fields}`

export async function writeHead(
  tx: Queryable,
  { repo, commit, pushedAt }: Pick<GraphPush, 'repo' | 'commit' | 'pushedAt'>,
  generation: number,
): Promise<GraphHead> {
  const { rows } = await tx.query<HeadRow>(upsert, [repo, generation, commit ?? null, pushedAt, commit !== undefined])
  const [row] = rows
  if (row === undefined) throw new Error(`the graph of ${repo} was not written`)
  return toHead(row).head
}

function toHead(row: HeadRow): StoredHead {
  return {
    generation: row.generation,
    head: { repo: row.repo, version: row.version, commit: row.commit_sha, pushedAt: row.pushed_at },
  }
}
