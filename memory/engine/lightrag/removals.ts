/**
 * Takes out of LightRAG what no memory has any more. It deletes later than it says so, and refuses while it works on
 * anything, queueing nothing. So a row stays until its record is seen to be gone, and a text that is wanted again in the
 * meantime is sent only then: an insert that met a deletion under way would be lost.
 */
import { sleep } from '../../../runtime/clock.ts'
import type { LightRagDeps } from './deps.ts'
import { adoptRecord, changeDocument, type DocumentRow } from './documents.ts'
import { findRecord, isBusy, orderDeletion, trackRecords } from './pipeline.ts'

const batch = 50
const columns = 'd.content_sha, d.source, d.doc_id, d.track_id, d.state, d.fault'
const goneWithinMs = 10_000
const pollMs = 100

/** No memory has it, nor has one any other text that is the same record there. */
const unwanted = `not exists (select from engine_memory m join lightrag_document o using (content_sha)
  where o.content_sha = d.content_sha or o.doc_id = d.doc_id)`

/** One round over all that has to leave; how much still has to. */
export async function sweepRemovals(deps: LightRagDeps): Promise<number> {
  await confirmGone(deps)
  await identify(deps)
  await order(deps)
  await clearDebris(deps)
  return countRemovals(deps)
}

export async function countRemovals({ sql }: Pick<LightRagDeps, 'sql'>): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select (select count(*) from lightrag_document d where state = 'removing' or ${unwanted})
      + (select count(*) from lightrag_debris) as count`,
  )
  return rows[0]!.count
}

/** A failed record keeps its source taken: true once it is gone and its row may be sent again. */
export async function removeFailed(deps: LightRagDeps, row: DocumentRow): Promise<boolean> {
  const { api, sql, clock } = deps
  const record = await recordOf(deps, row)
  if (record?.status === 'processed')
    return changeDocument(sql, row, { state: 'stored', docId: record.id }, clock.now())
  if (record && !(await orderDeletion(api, [record.id]))) return false
  if (record && !(await isGoneSoon(deps, row))) return false
  return changeDocument(sql, row, { state: 'sending', docId: null, trackId: null }, clock.now())
}

async function recordOf({ api }: LightRagDeps, row: DocumentRow): ReturnType<typeof findRecord> {
  const isOwn = (record: { id: string; file_path?: string | null }): boolean =>
    !record.id.startsWith('dup-') && (row.doc_id === null ? record.file_path === row.source : record.id === row.doc_id)
  const tracked = row.track_id === null ? undefined : (await trackRecords(api, row.track_id)).find(isOwn)
  // Once its id is known, so is the track on which it stands: who is not there is gone.
  const isKnown = row.doc_id !== null && row.track_id !== null
  return tracked ?? (isKnown ? undefined : findRecord(api, isOwn))
}

async function isGoneSoon(deps: LightRagDeps, row: DocumentRow): Promise<boolean> {
  const until = deps.clock.elapsed() + goneWithinMs
  while (deps.clock.elapsed() < until) {
    if (!(await recordOf(deps, row))) return true
    await sleep(deps.clock, pollMs)
  }
  return false
}

/** Rows whose record is gone go; one that is there still, with nobody working, was never ordered away. */
export async function confirmGone(deps: LightRagDeps): Promise<void> {
  const { api, sql, clock } = deps
  const { rows } = await sql.query<DocumentRow>(
    `select ${columns} from lightrag_document d where state = 'removing' order by changed_at limit ${batch}`,
  )
  if (rows.length === 0) return
  const worksOn = await isBusy(api)
  for (const row of rows) {
    const record = await recordOf(deps, row)
    if (!record) await drop(deps, row)
    else if (!worksOn) await adoptRecord(sql, row, record, clock.now())
  }
}

/** What memories want it, if any came meanwhile, find it missing and send it again. */
async function drop({ sql }: LightRagDeps, row: DocumentRow): Promise<void> {
  await sql.query(`delete from lightrag_document where content_sha = $1 and state = 'removing'`, [row.content_sha])
}

/** Texts that were let go before it was known what became of them. */
async function identify(deps: LightRagDeps): Promise<void> {
  const { sql, clock } = deps
  const { rows } = await sql.query<DocumentRow>(
    `select ${columns} from lightrag_document d where state in ('sending', 'accepted') and ${unwanted}
    order by changed_at limit ${batch}`,
  )
  for (const row of rows) {
    const record = await recordOf(deps, row)
    if (record) await adoptRecord(sql, row, record, clock.now())
    else if (row.state === 'sending') await changeDocument(sql, row, { state: 'removing' }, clock.now())
  }
}

/** The order is written down before it is given; one that is refused is taken back. */
async function order(deps: LightRagDeps): Promise<void> {
  const { api, sql, clock } = deps
  const rows = await sql.tx(async (tx) => {
    const found = await tx.query<DocumentRow>(
      `select ${columns} from lightrag_document d where state in ('accepted', 'stored', 'failed') and doc_id is not null
        and ${unwanted} order by changed_at limit ${batch} for update`,
    )
    for (const row of found.rows) await changeDocument(tx, row, { state: 'removing' }, clock.now())
    return found.rows
  })
  if (rows.length === 0) return
  if (await orderDeletion(api, [...new Set(rows.map((row) => row.doc_id!))])) return
  for (const row of rows)
    await changeDocument(sql, { ...row, state: 'removing' }, { state: row.state, fault: row.fault }, clock.now())
}

async function clearDebris({ api, sql }: LightRagDeps): Promise<void> {
  const { rows } = await sql.query<{ doc_id: string }>(`select doc_id from lightrag_debris order by 1 limit ${batch}`)
  const ids = rows.map((row) => row.doc_id)
  if (ids.length === 0 || !(await orderDeletion(api, ids))) return
  await sql.query('delete from lightrag_debris where doc_id = any($1::text[])', [ids])
}
