import { Worker } from 'node:worker_threads'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { onceAgain, ThreadPool } from '../../threads/thread-pool.ts'
import { membersOf, type Members } from './members.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./communities-worker.ts', import.meta.url)

/** Read, partitioned and written at once; the strongest ties of a larger graph decide its communities. */
const mostTies = 200_000
/** Ties in one text. A graph of one text is partitioned here, in some milliseconds: a thread costs more to begin. */
const tiesPerText = 500
/** In one answer of the thread, and in one statement. */
const membersAtOnce = 2_000
/** Until the index has changed by so much of itself, communities are told as they were. */
const staleAfter = 0.2

interface IndexRow {
  readonly version: number
  readonly communities_of: number
}

export type CommunitiesQuestion =
  | { readonly kind: 'ties'; readonly text: string }
  | { readonly kind: 'members'; readonly begin: number; readonly end: number }

export type CommunitiesAnswer = Members

type CommunityThreads = ThreadPool<CommunitiesQuestion, CommunitiesAnswer>

/** Brings the communities up to the index; one call at a time does the work, the others wait for it. */
export function createCommunities(
  sql: Sql,
  start: () => Worker = () => new Worker(workerUrl),
): { refresh(): Promise<void> } {
  const threads: CommunityThreads = new ThreadPool({ start, purpose: 'communities', most: 1 })
  let underway: Promise<void> | undefined
  return {
    refresh() {
      underway ??= refresh(sql, threads).finally(() => (underway = undefined))
      return underway
    },
  }
}

async function refresh(sql: Sql, threads: CommunityThreads): Promise<void> {
  const { rows } = await sql.query<IndexRow>('select version, communities_of from engine_index')
  const { version, communities_of: of } = rows[0]!
  if (version === of || (of > 0 && version - of <= Math.floor(of * staleAfter))) return
  const texts = await tiesOf(sql)
  const slices = texts.length > 1 ? await onceAgain(() => inThread(threads, texts)) : [membersOf(texts)]
  await sql.tx((tx) => store(tx, slices, version))
}

/** As texts: to read a row of its own for each tie would take the serving thread longer than to pass them on. */
async function tiesOf(sql: Sql): Promise<readonly string[]> {
  const { rows } = await sql.query<{ text: string }>(
    `select string_agg(concat_ws(' ', from_id, to_id, weight), E'\\n') as text
    from (select from_id, to_id, weight, row_number() over (order by weight desc, id) - 1 as place
      from knowledge_edge where from_id <> to_id order by weight desc, id limit ${mostTies}) ties
    group by place / ${tiesPerText} order by place / ${tiesPerText}`,
  )
  return rows.map((row) => row.text)
}

function inThread(threads: CommunityThreads, texts: readonly string[]): Promise<readonly Members[]> {
  return threads.run(async (thread) => {
    for (const text of texts) thread.post({ kind: 'ties', text })
    const slices: Members[] = []
    for (let begin = 0; ; begin += membersAtOnce) {
      const slice = await thread.ask({ kind: 'members', begin, end: begin + membersAtOnce })
      if (slice.ids.length === 0) return slices
      slices.push(slice)
    }
  })
}

async function store(tx: Queryable, slices: readonly Members[], version: number): Promise<void> {
  await tx.query('select from engine_index for update')
  await tx.exec('delete from engine_community')
  for (const { ids, communities, centralities } of slices) {
    // An entity that went meanwhile is nobody's member.
    await tx.query(
      `insert into engine_community (entity_id, community, centrality)
      select u.id, u.community, u.centrality from unnest($1::uuid[], $2::int[], $3::float8[]) as u (id, community, centrality)
      join knowledge_entity e on e.id = u.id`,
      [ids, communities, centralities],
    )
  }
  await tx.query('update engine_index set communities_of = $1', [version])
}
