import type { ProcessRow, ShardRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'

/** Who lives and who holds what, in one reading. */
export interface Neighbourhood {
  readonly processes: readonly ProcessRow[]
  readonly shards: readonly ShardRow[]
}

const text = `select
  coalesce((select json_agg(x) from (select p.owner, p.incarnation, p.beat from process p) x), '[]') as processes,
  coalesce((select json_agg(x) from (select s.shard, s.owner, s.epoch from shard s) x), '[]') as shards`

export async function readProcesses(sql: Queryable): Promise<Neighbourhood> {
  const { rows } = await sql.query<Neighbourhood>(text)
  return rows[0] ?? { processes: [], shards: [] }
}
