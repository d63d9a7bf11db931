/** Parts of a staged snapshot (GRAPH-RULE-1). */
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import type { GraphPart } from '../port.ts'
import type { Pushed } from '../settle.ts'
import { insertFiles } from './rows.ts'

/** Stores a part whole, in the place of an earlier attempt at it. */
export async function putPart(sql: Sql, generation: number, push: GraphPart): Promise<void> {
  const where = { generation, part: push.part }
  await sql.tx(async (tx) => {
    await tx.query('delete from code_graph_file where generation = $1 and part = $2', [generation, push.part])
    await insertFiles(tx, where, push)
    await tx.query(
      `insert into code_graph_part (generation, part, unsettled) values ($1, $2, $3)
      on conflict (generation, part) do update set unsettled = excluded.unsettled`,
      [generation, push.part, 'text' in push.unsettled ? push.unsettled.text : JSON.stringify(push.unsettled)],
    )
  })
}

export async function partsOf(sql: Queryable, generation: number): Promise<number[]> {
  const { rows } = await sql.query<{ part: number }>(
    'select part from code_graph_part where generation = $1 order by part',
    [generation],
  )
  return rows.map((row) => row.part)
}

/** Which parts up to the final one are not there; they count from 0 or from 1. */
export function missingParts(parts: readonly number[], final: number): number[] {
  const known = new Set(parts)
  const first = known.has(0) ? 0 : 1
  return Array.from({ length: Math.max(final - first + 1, 0) }, (_, at) => first + at).filter(
    (part) => !known.has(part),
  )
}

export async function unsettledOf(sql: Queryable, generation: number): Promise<Pushed> {
  const { rows } = await sql.query<{ unsettled: string }>(
    'select unsettled from code_graph_part where generation = $1 order by part',
    [generation],
  )
  const all = rows.map((row) => JSON.parse(row.unsettled) as Pushed)
  return {
    entities: all.flatMap((each) => each.entities),
    edges: all.flatMap((each) => each.edges),
    hyperedges: all.flatMap((each) => each.hyperedges),
  }
}
