/** What the same store does by plain SQL: the words of a question counted over the same postings, and a text in one row. */
import { termsOf } from '../../memory/engine/text/tokenize.ts'
import type { Sql } from '../../runtime/store/sql.ts'

export interface RawEngine {
  /** The chunks that have most of the words, in one statement. */
  best(text: string, limit: number): Promise<void>
  insertAndRead(id: string, text: string): Promise<void>
}

/** Each term's postings are a walk over their index, whatever the planner knows: `offset 0`. */
const mostWords = `select c.no, c.content, best.count from (
    select p.chunk_no as no, sum(p.count) as count from unnest($1::text[]) as a (text)
    cross join lateral (select id from engine_term where text = a.text offset 0) t
    cross join lateral (select chunk_no, count from engine_posting where term_id = t.id offset 0) p
    group by p.chunk_no order by count desc limit $2) best
  cross join lateral (select no, content from engine_chunk where no = best.no offset 0) c`

export async function rawEngine(sql: Sql): Promise<RawEngine> {
  await sql.exec('create table bench_text (id text primary key, content text not null)')
  return {
    async best(text, limit) {
      await sql.query(mostWords, [[...termsOf(text).keys()], limit])
    },
    async insertAndRead(id, text) {
      await sql.query('insert into bench_text values ($1, $2)', [id, text])
      const { rows } = await sql.query<{ content: string }>('select content from bench_text where id = $1', [id])
      if (rows[0]?.content !== text) throw new Error('what was inserted is not found')
    },
  }
}
