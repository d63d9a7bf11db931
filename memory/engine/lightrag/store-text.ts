/**
 * Brings one text into LightRAG and stays until it says what became of it. What is accepted is not stored; a duplicate has
 * three forms (409, `duplicated`, a `dup-` record) and one meaning; a record that failed keeps its source taken until it
 * is deleted. Every step is a row first, so that a process that died in between goes on where it stood.
 */
import { sleep } from '../../../runtime/clock.ts'
import type { EngineMemory } from '../port.ts'
import type { LightRagDeps } from './deps.ts'
import {
  adoptRecord,
  changeDocument,
  claimDocument,
  readDocument,
  shaOf,
  storedText,
  type DocumentRow,
} from './documents.ts'
import { findRecord, isBusy, terminal, trackRecords, wake } from './pipeline.ts'
import { confirmGone, removeFailed } from './removals.ts'
import { Inserted, type DocumentRecord } from './shapes.ts'

export type Stored =
  | { readonly status: 'stored'; readonly isNew: boolean; readonly other: string | null; readonly row: DocumentRow }
  | { readonly status: 'partial'; readonly message: string; readonly row: DocumentRow }
  | { readonly status: 'failed'; readonly message: string }

const firstPollMs = 100
const longestPollMs = 2_000
/** A track that shows nothing for so many polls is looked for elsewhere. */
const lostAtMs = 1_000
/** A text whose turn does not come in all that time is asked for again by whoever feeds it. */
const patienceMs = 15 * 60_000

/** One attempt a text at a time: two that were sent at once are two tracks of one record, and one track stays empty. */
export async function storeText(deps: LightRagDeps, memory: EngineMemory, signal?: AbortSignal): Promise<Stored> {
  const sha = shaOf(memory.content)
  const before = deps.underway.get(sha) ?? Promise.resolve()
  const own = before.then(() => attempt(deps, memory, signal))
  const settled = own.catch(() => undefined)
  deps.underway.set(sha, settled)
  try {
    return await own
  } finally {
    if (deps.underway.get(sha) === settled) deps.underway.delete(sha)
  }
}

async function attempt(deps: LightRagDeps, memory: EngineMemory, signal?: AbortSignal): Promise<Stored> {
  const { sql, clock } = deps
  let pollMs = firstPollMs
  let isNew = false
  let resends = 0
  let message: string | undefined
  const until = clock.elapsed() + patienceMs
  const stillness = new Stillness(deps)
  const isOver = (): boolean => signal?.aborted === true || clock.elapsed() >= until
  while (!isOver()) {
    const { row, other } = await claimDocument(sql, memory, clock.now())
    if (row.state === 'stored') {
      return message === undefined ? { status: 'stored', isNew, other, row } : { status: 'partial', message, row }
    }
    if (row.state === 'sending') {
      const sent = await send(deps, memory, row)
      isNew ||= sent.isNew
      message ??= sent.message
      if (sent.fault !== undefined) return { status: 'failed', message: sent.fault }
      continue
    }
    if (row.state === 'accepted') await follow(deps, row, pollMs >= lostAtMs)
    // Sent anew once the deletion that is under way has ended.
    if (row.state === 'removing') await confirmGone(deps)
    if (row.state === 'failed') {
      // Its own first failure is told; what an earlier attempt left is cleared away and sent anew, once.
      if (isNew || resends > 0) return { status: 'failed', message: row.fault ?? 'LightRAG could not process the text' }
      if (await removeFailed(deps, row)) resends += 1
    }
    const after = await readDocument(sql, row.content_sha)
    if (after?.state !== row.state) {
      pollMs = firstPollMs
      continue
    }
    await stillness.look()
    await sleep(clock, pollMs, signal)
    pollMs = Math.min(longestPollMs, pollMs * 1.5)
  }
  return { status: 'failed', message: 'LightRAG has not processed the text yet' }
}

interface Sent {
  readonly isNew: boolean
  /** It took only part of what it was given. */
  readonly message?: string
  readonly fault?: string
}

async function send({ api, sql, clock }: LightRagDeps, memory: EngineMemory, row: DocumentRow): Promise<Sent> {
  const text = storedText(memory.content)
  if (text === '') return { isNew: false, fault: 'LightRAG refuses an empty text' }
  const answer = await api.call({
    method: 'POST',
    path: '/documents/text',
    body: { text, file_source: row.source },
    schema: Inserted,
    nullStatuses: [409, 429],
  })
  const isTaken = answer?.status === 'success' || answer?.status === 'partial_success'
  if (isTaken && answer.track_id) {
    await changeDocument(sql, row, { state: 'accepted', trackId: answer.track_id }, clock.now())
    const isPartial = answer.status === 'partial_success'
    return { isNew: true, ...(isPartial ? { message: answer.message ?? 'LightRAG stored only part of the text' } : {}) }
  }
  if (answer !== null && answer.status !== 'duplicated')
    return { isNew: false, fault: answer.message ?? `LightRAG answered ${answer.status}` }
  const original = await originalOf({ api }, row, answer?.track_id ?? null)
  if (!original) return { isNew: false, fault: 'LightRAG accepts no texts now' }
  await adoptRecord(sql, row, original, clock.now())
  return { isNew: false }
}

/** The record that stands in the way of a text: it is the text itself, sent before or by somebody else. */
async function originalOf(
  { api }: Pick<LightRagDeps, 'api'>,
  row: DocumentRow,
  trackId: string | null,
): Promise<DocumentRecord | undefined> {
  if (trackId !== null) {
    const records = (await trackRecords(api, trackId)).filter(isReal)
    if (records.length === 1) return records[0]
  }
  return findRecord(api, (record) => isReal(record) && record.file_path === row.source)
}

/** Looks once at what became of an accepted text. */
async function follow({ api, sql, clock }: LightRagDeps, row: DocumentRow, isLost: boolean): Promise<void> {
  const records = row.track_id === null ? [] : await trackRecords(api, row.track_id)
  const isOwn = (record: DocumentRecord): boolean => record.file_path === row.source || record.id === row.doc_id
  // Another process that sent the same text at the same time has the track on which its record stands.
  const own =
    records.find(isOwn) ?? (isLost ? await findRecord(api, (record) => isOwn(record) && isReal(record)) : undefined)
  if (!own) return
  if (!isReal(own)) return adoptOriginal({ api, sql, clock }, row, own)
  if (terminal.has(own.status) || row.doc_id === null) await adoptRecord(sql, row, own, clock.now())
}

/** Not what a refusal left behind. */
function isReal(record: DocumentRecord): boolean {
  return !record.id.startsWith('dup-')
}

/** A refusal leaves a record that counts as a failure for ever: it is taken away, the original is what we have. */
async function adoptOriginal(
  { api, sql, clock }: Pick<LightRagDeps, 'api' | 'sql' | 'clock'>,
  row: DocumentRow,
  refusal: DocumentRecord,
): Promise<void> {
  await sql.query('insert into lightrag_debris (doc_id) values ($1) on conflict do nothing', [refusal.id])
  const [docId, trackId] = [refusal.metadata?.['original_doc_id'], refusal.metadata?.['original_track_id']]
  const tracked = typeof trackId === 'string' ? await trackRecords(api, trackId) : []
  const original =
    tracked.find((record) => record.id === docId) ?? (await findRecord(api, (record) => record.id === docId))
  if (original) await adoptRecord(sql, row, original, clock.now())
  // It went while we looked: the text is sent again.
  else await changeDocument(sql, row, { state: 'sending', docId: null, trackId: null }, clock.now())
}

/** Notices that it accepted a text and does nothing, and wakes it. */
class Stillness {
  readonly #deps: LightRagDeps
  #since: number | undefined

  constructor(deps: LightRagDeps) {
    this.#deps = deps
  }

  async look(): Promise<void> {
    const { api, clock, counts, logger, stoppedAfterMs } = this.#deps
    const now = clock.elapsed()
    this.#since ??= now
    if (now - this.#since < stoppedAfterMs) return
    this.#since = now
    if (await isBusy(api)) return
    counts.wakes += 1
    logger.warn({ wakes: counts.wakes }, 'LightRAG had stopped processing accepted texts; the engine woke it')
    await wake(api)
  }
}
