/** Delivery to an actor of another process: through the inbox table, whose row is on disk before anything is said (R1). */
import type { ActorAddress } from '../machines/definition.ts'
import { quarantinedActor, unknownActor } from './batch.ts'
import { sleep } from './clock.ts'
import type { Clock } from './clock.ts'
import { StoreUnavailableError } from './errors.ts'
import type { Answer, Receipt } from './runtime.ts'
import { countDeadLetters } from './store/dead-letters.ts'
import { findReceipts } from './store/find-receipts.ts'
import { insertInbox } from './store/insert-inbox.ts'
import { loadActors } from './store/load-actors.ts'
import type { InboxRow } from './store/rows.ts'
import { shardOwner } from './store/shard-owner.ts'
import type { Sql } from './store/sql.ts'

export interface ForwardOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly hint: (owner: string | undefined) => void
}

const firstLookMs = 20
const longestLookMs = 250
/** Longer than any lease: by then the shard has an owner again, or there is none left. */
const patienceMs = 60_000

/** Resolves when the owner has stepped the event. */
export async function forward(options: ForwardOptions, row: InboxRow): Promise<Receipt> {
  const { sql, clock, hint } = options
  const before = await receipt(sql, row.actor, row.key)
  if (before) return before
  const letters = await countDeadLetters(sql, row.actor, row.key)
  await insertInbox(sql, [row])
  hint(await shardOwner(sql, row.shard))
  const until = clock.now() + patienceMs
  for (let lookMs = firstLookMs; clock.now() < until; lookMs = Math.min(longestLookMs, lookMs * 2)) {
    await sleep(clock, lookMs)
    const outcome = await outcomeOf(sql, row, letters)
    if (outcome) return outcome
  }
  throw new StoreUnavailableError(`shard ${row.shard} has no owner that answers; the event waits in the inbox`)
}

async function outcomeOf(sql: Sql, row: InboxRow, letters: number): Promise<Receipt | undefined> {
  const applied = await receipt(sql, row.actor, row.key)
  if (applied) return { ...applied, applied: true }
  const state = (await loadActors(sql, [row.actor])).get(row.actor)?.row
  const refusal = { key: row.key, applied: false, seq: state?.seq ?? 0 }
  if (state?.status === 'quarantined') return { ...refusal, answer: quarantinedActor }
  return (await countDeadLetters(sql, row.actor, row.key)) > letters ? { ...refusal, answer: unknownActor } : undefined
}

async function receipt(sql: Sql, actor: ActorAddress, key: string): Promise<Receipt | undefined> {
  const [row] = await findReceipts(sql, [{ actor, key }])
  if (!row) return undefined
  return {
    key,
    applied: false,
    seq: row.seq,
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }),
  }
}
