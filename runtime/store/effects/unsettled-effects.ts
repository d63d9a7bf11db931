/**
 * Effects that are not settled, wherever they stand: named in their actor's row and told by the journal, or in a row of
 * their own since they were tried. The text of effects is taken apart by the program: Postgres refuses to look into JSON
 * that has characters which it cannot store.
 */
import { selectList } from '../columns.ts'
import type { EffectRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { effectColumns } from '../tables.ts'

interface Selection {
  /** Of what `e` names, for both kinds alike. */
  readonly where: string
  /** An address, as SQL, below which there is nothing: a page is then a range of the actors. */
  readonly from?: string
  readonly limit?: string
}

const order = 'order by e.actor, e.seq, e.idx'

/** What `e` is of those that have no row: all but what the journal tells. */
const marked = (from: string): string => `(select a.address as actor, split_part(t.mark, '.', 1)::bigint as seq,
  split_part(split_part(t.mark, ':', 1), '.', 2)::int as idx, a.shard, substr(t.mark, strpos(t.mark, ':') + 1) as type,
  0 as attempts, 0::bigint as not_before, null::text as last_error, false as dead
  from actor a cross join lateral unnest(string_to_array(a.pending, E'\\n')) as t(mark)
  where a.pending is not null and a.address >= ${from}) e`

const tried = (where: string, cut: string): string =>
  `(select e.*, null::text as decided from (select ${effectColumns.map(([name]) => `e.${name}`).join(', ')} from effect e) e
      where ${where} ${order} ${cut})`

/** Those alone that were tried: no actor's row is looked at. */
export function triedText({ where, limit }: Omit<Selection, 'from'>): string {
  const cut = limit === undefined ? '' : `limit ${limit}`
  return `select ${selectList(effectColumns, 'e')}, e.decided, false as "isMarked" from ${tried(where, cut)} e ${order}`
}

/** Rows are `RawEffect`s, in the order of actor and journal. Each half is cut before the journal is asked, and again together. */
export function unsettledText({ where, from = `''`, limit }: Selection): string {
  const cut = limit === undefined ? '' : `limit ${limit}`
  const columns = selectList(effectColumns, 'e')
  return `select ${columns}, e.decided, e.decided is not null as "isMarked" from (
    ${tried(where, cut)}
    union all
    (select e.actor, e.seq, e.idx, e.shard, e.type, '' as params, e.attempts, e.not_before, e.last_error, e.dead, v.at, v.effects
      from (select e.* from ${marked(from)} where ${where} ${order} ${cut}) e join event v on v.actor = e.actor and v.seq = e.seq)
  ) e ${order} ${cut}`
}

type RawEffect = EffectRow & { readonly decided: string | null }

export async function readUnsettled(
  sql: Queryable,
  text: string,
  params: readonly unknown[],
): Promise<readonly EffectRow[]> {
  const { rows } = await sql.query<RawEffect>(text, params)
  return rows.map(({ decided, ...row }) => (decided === null ? row : { ...row, params: paramsIn(decided, row.idx) }))
}

function paramsIn(effects: string, index: number): string {
  const one = (JSON.parse(effects) as readonly { readonly params?: unknown }[])[index]
  return JSON.stringify(one?.params ?? {})
}
