/**
 * The same graph in the same store by plain SQL: what was pushed as bare rows, and an index of edges that is asked level by
 * level. Nothing is versioned, resolved or ordered. A machine that is twice as slow is so for both.
 */
import type { Sql } from '../../runtime/store/sql.ts'
import type { Sample } from './graph-sample.ts'

const rowsAtOnce = 1000
const most = 500
const longestPath = 12

interface Row {
  readonly file: string
  readonly piece: number
  readonly body: string
}

export interface RawGraph {
  /** Every row that the push of the snapshot left, in as few statements as the store takes. */
  write(): Promise<void>
  /** All of them, once. */
  read(): Promise<void>
  neighbours(id: string, depth: number): Promise<number>
  path(from: string, to: string): Promise<number | undefined>
  /** Another sample may come. */
  drop(): Promise<void>
}

/** `sample` was pushed before: its rows are the store's own. */
export async function rawGraph(sql: Sql, { push }: Sample): Promise<RawGraph> {
  await sql.exec(`create table bench_row (file text, piece integer, body text, primary key (file, piece));
    create table bench_edge (source text collate "C" not null, target text collate "C" not null)`)
  const { rows } = await sql.query<Row>(
    `select f.file, f.piece, f.body from code_graph g join code_graph_file f using (generation) where g.repo = $1`,
    [push.repo],
  )
  const edges = [...push.contributions.values()].flatMap((one) => one.edges)
  for (let first = 0; first < edges.length; first += rowsAtOnce * 10) {
    const some = edges.slice(first, first + rowsAtOnce * 10)
    await sql.query('insert into bench_edge select * from unnest($1::text[], $2::text[])', [
      some.map(({ from }) => from),
      some.map(({ to }) => to),
    ])
  }
  await sql.exec('create index bench_edge_source on bench_edge (source); analyze bench_edge')

  async function beyond(frontier: readonly string[], seen: Set<string>): Promise<string[]> {
    const found = await sql.query<{ target: string }>(
      'select distinct target from bench_edge where source = any($1::text[])',
      [frontier],
    )
    const fresh = found.rows.map(({ target }) => target).filter((target) => !seen.has(target))
    for (const target of fresh) seen.add(target)
    return fresh
  }

  return {
    async write() {
      await sql.exec('truncate bench_row')
      for (let first = 0; first < rows.length; first += rowsAtOnce) {
        const some = rows.slice(first, first + rowsAtOnce)
        await sql.query('insert into bench_row select * from unnest($1::text[], $2::int[], $3::text[])', [
          some.map(({ file }) => file),
          some.map(({ piece }) => piece),
          some.map(({ body }) => body),
        ])
      }
    },
    async read() {
      const found = await sql.query<{ body: string }>('select body from bench_row')
      for (const { body } of found.rows) JSON.parse(body)
    },
    async neighbours(id, depth) {
      const seen = new Set([id])
      let frontier = [id]
      for (let level = 0; level < depth && seen.size <= most; level++) frontier = await beyond(frontier, seen)
      return Math.min(seen.size - 1, most)
    },
    async path(from, to) {
      const seen = new Set([from])
      let frontier = [from]
      for (let length = 0; length <= longestPath && frontier.length > 0; length++) {
        if (frontier.includes(to)) return length
        frontier = await beyond(frontier, seen)
      }
      return undefined
    },
    drop: () => sql.exec('drop table bench_row; drop table bench_edge'),
  }
}
