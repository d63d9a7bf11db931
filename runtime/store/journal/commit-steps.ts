/**
 * The one write of the hot path: everything a batch of steps changed, in a single statement, so that it commits
 * together or not at all (R4) in one round trip. The fence (R5) and the sequence numbers (R2) are required inside the
 * statement; the journal's unique key refuses a repeated key (R3). Sections without rows are left out of the text.
 *
 * An effect that was decided has no row: the journal tells it, and its actor's row, which is written anyway, names it
 * until it is settled. Only one that was tried and did not end gets a row, with its attempts and errors. A row for each,
 * deleted by the next commit, was 16 of the server's 37 us for a transition and 335 of 990 bytes of write-ahead log;
 * to take the name out of the actor's row costs 4 us and 90 bytes (measured side by side, 128 steps in a batch).
 */
import type { ActorAddress } from '../../../machines/definition.ts'
import { DuplicateKeyError, SequenceConflictError, StaleLeaseError } from '../../errors.ts'
import { arrayParams, arraySourceText, columnNames, rowParams, rowSourceText } from '../columns.ts'
import type { Columns } from '../columns.ts'
import type {
  ActorRow,
  DeadLetterRow,
  EffectRow,
  EventRow,
  InboxRow,
  Lease,
  ListingRow,
  SnapshotRow,
  TimerRow,
} from '../rows.ts'
import { SqlError } from '../sql-error.ts'
import type { Queryable } from '../sql.ts'
import {
  actorColumns,
  baselineColumns,
  deadLetterColumns,
  effectColumns,
  eventColumns,
  inboxColumns,
  listingColumns,
  snapshotColumns,
  timerColumns,
} from '../tables.ts'

/** `previousSeq` is what the step started from. */
type ActorUpdate = ActorRow & { readonly previousSeq: number }
/** Effects of the actor of this type decided before `belowSeq`. */
export interface Withdrawal {
  readonly actor: string
  readonly type: string
  readonly belowSeq: number
}

export interface Commit {
  readonly owner: string
  readonly leases: readonly Lease[]
  readonly created: readonly ActorRow[]
  readonly updated: readonly ActorUpdate[]
  readonly snapshots: readonly SnapshotRow[]
  readonly baselines: readonly (SnapshotRow & { readonly at: number })[]
  readonly events: readonly EventRow[]
  /** Marks that go, of actors whose row is not in `updated`. */
  readonly cleared: readonly { readonly address: ActorAddress; readonly gone: string }[]
  /** Marked effects that were tried and get a row, unless they were withdrawn meanwhile. */
  readonly tried: readonly (EffectRow & { readonly mark: string })[]
  readonly settled: readonly Pick<EffectRow, 'actor' | 'seq' | 'idx'>[]
  readonly postponed: readonly Pick<
    EffectRow,
    'actor' | 'seq' | 'idx' | 'attempts' | 'notBefore' | 'lastError' | 'dead'
  >[]
  readonly withdrawn: readonly Withdrawal[]
  readonly timersSet: readonly TimerRow[]
  readonly timersCleared: readonly Pick<TimerRow, 'actor' | 'id'>[]
  readonly inbox: readonly InboxRow[]
  readonly inboxDone: readonly { readonly id: number }[]
  readonly deadLetters: readonly DeadLetterRow[]
  readonly listings: readonly ListingRow[]
}

/** The inbox numbers that new rows got, by actor and key; a row that was there already is missing. */
export interface InboxNumber {
  readonly id: number
  readonly actor: string
  readonly key: string
}

const staleLease = 'SW001'
const sequenceConflict = 'SW002'

interface Section {
  readonly rows: Exclude<keyof Commit, 'owner'>
  readonly columns: Columns
  readonly sql: (source: string) => string
}

const effectId: Columns = [
  ['actor', 'text'],
  ['seq', 'bigint'],
  ['idx', 'int'],
]

function insert(table: string, columns: Columns, suffix = ''): (source: string) => string {
  const names = columnNames(columns)
  return (source) => `insert into ${table} (${names}) select ${names} from ${source} ${suffix}`
}

function selected(columns: Columns): string {
  return columns.map(([name]) => `r.${name}`).join(', ')
}

/** What a step changes of a row. */
const updateColumns: Columns = [
  ['address', 'text'],
  ['seq', 'bigint'],
  ['version', 'int'],
  ['machine_hash', 'text'],
  ['status', 'text'],
  ['path', 'text'],
  ['fault', 'text'],
  ['updated_at', 'bigint'],
  ['pending', 'text'],
  ['previous_seq', 'bigint'],
]

const sections: readonly Section[] = [
  { rows: 'created', columns: actorColumns, sql: insert('actor', actorColumns, 'returning 1') },
  {
    rows: 'updated',
    columns: updateColumns,
    sql: (
      source,
    ) => `update actor a set seq = r.seq, version = r.version, machine_hash = r.machine_hash, status = r.status,
      path = r.path, fault = r.fault, updated_at = r.updated_at, pending = r.pending
      from ${source} where a.address = r.address and a.seq = r.previous_seq returning 1`,
  },
  {
    rows: 'snapshots',
    columns: snapshotColumns,
    sql: insert(
      'snapshot',
      snapshotColumns,
      `on conflict (actor) do update set seq = excluded.seq, version = excluded.version,
        machine_hash = excluded.machine_hash, body = excluded.body`,
    ),
  },
  { rows: 'baselines', columns: baselineColumns, sql: insert('baseline', baselineColumns, 'on conflict do nothing') },
  { rows: 'events', columns: eventColumns, sql: insert('event', eventColumns) },
  // `pending is not null` is, by statistics of a time of rest, true of hardly any row: Postgres would then read all actors
  // to find those few first, and compare each with the whole batch (800 ms for 500 of 10,000; by the key 35).
  {
    rows: 'cleared',
    columns: [
      ['address', 'text'],
      ['gone', 'text'],
    ],
    sql: (source) => `update actor a set pending = case when a.pending = r.gone then null else
        (select string_agg(m.mark, E'\\n' order by m.place) from unnest(string_to_array(a.pending, E'\\n'))
          with ordinality as m(mark, place) where m.mark <> all(string_to_array(r.gone, E'\\n'))) end
      from ${source} where a.address = r.address and coalesce(a.pending, '') <> ''`,
  },
  {
    rows: 'tried',
    columns: [...effectColumns, ['mark', 'text']],
    sql: (source) => `insert into effect (${columnNames(effectColumns)}) select ${selected(effectColumns)}
      from ${source} join actor a on a.address = r.actor and r.mark = any(string_to_array(a.pending, E'\\n'))`,
  },
  {
    rows: 'settled',
    columns: effectId,
    sql: (source) => `delete from effect e using ${source} where e.actor = r.actor and e.seq = r.seq and e.idx = r.idx`,
  },
  {
    rows: 'postponed',
    columns: [...effectId, ['attempts', 'int'], ['not_before', 'bigint'], ['last_error', 'text'], ['dead', 'boolean']],
    sql: (
      source,
    ) => `update effect e set attempts = r.attempts, not_before = r.not_before, last_error = r.last_error, dead = r.dead
      from ${source} where e.actor = r.actor and e.seq = r.seq and e.idx = r.idx`,
  },
  {
    rows: 'withdrawn',
    columns: [
      ['actor', 'text'],
      ['type', 'text'],
      ['below_seq', 'bigint'],
    ],
    sql: (source) =>
      `delete from effect e using ${source} where e.actor = r.actor and e.type = r.type and e.seq < r.below_seq`,
  },
  {
    rows: 'timersSet',
    columns: timerColumns,
    sql: insert(
      'timer',
      timerColumns,
      'on conflict (actor, id) do update set seq = excluded.seq, due_at = excluded.due_at, body = excluded.body',
    ),
  },
  {
    rows: 'timersCleared',
    columns: [
      ['actor', 'text'],
      ['id', 'text'],
    ],
    sql: (source) => `delete from timer t using ${source} where t.actor = r.actor and t.id = r.id`,
  },
  {
    rows: 'inbox',
    columns: inboxColumns,
    sql: insert('inbox', inboxColumns, 'on conflict (actor, key) do nothing returning id, actor, key'),
  },
  {
    rows: 'inboxDone',
    columns: [['id', 'bigint']],
    sql: (source) => `delete from inbox i using ${source} where i.id = r.id`,
  },
  { rows: 'deadLetters', columns: deadLetterColumns, sql: insert('dead_letter', deadLetterColumns) },
  { rows: 'listings', columns: listingColumns, sql: listings },
]

/** One that was read from an older state than the stored one changes nothing. */
function listings(source: string): string {
  const newer = `on conflict (address) do update set seq = excluded.seq, version = excluded.version, words = excluded.words,
    named = excluded.named, ended_at = excluded.ended_at where listing.seq <= excluded.seq`
  return insert('listing', listingColumns, newer)(source)
}

/** Outside of any step, one at a time: a commit may write several in another order, and the two would wait for each other. */
export async function writeListing(sql: Queryable, row: ListingRow): Promise<void> {
  await sql.query(listings(rowSourceText(listingColumns, 1)), rowParams(listingColumns, row))
}

export async function commitSteps(sql: Queryable, commit: Commit): Promise<readonly InboxNumber[]> {
  const { text, params } = statement(commit)
  try {
    const { rows } = await sql.query<{ inbox: string | null }>(text, params)
    return JSON.parse(rows[0]?.inbox ?? '[]') as InboxNumber[]
  } catch (error) {
    throw refusal(error)
  }
}

const leaseColumns: Columns = [
  ['shard', 'int'],
  ['epoch', 'bigint'],
]

const allSections: readonly Section[] = [{ rows: 'leases', columns: leaseColumns, sql: fence }, ...sections]

/** `for share` of the lease rows holds off a takeover until this commits; `for key share` would let it pass. */
function fence(source: string): string {
  return `select s.shard from shard s, ${source}
    where s.shard = r.shard and s.epoch = r.epoch and s.owner = $1 order by s.shard for share of s`
}

/** Which sections have rows, and which of them one that goes as scalars: the text depends on nothing else. */
interface Shape {
  readonly text: string
  readonly sections: readonly ShapedSection[]
}

interface ShapedSection extends Section {
  readonly isScalar: boolean
}

/** Commits of larger batches all go as arrays: a text for each mixture would be parsed and planned more than run. */
const mostRowsOfSmall = 2
/** Two bits for each section: it has rows, and they go as scalars. Of 17 sections, so that 32 bits do not hold them. */
const shapes = new Map<number, Shape>()

function statement(commit: Commit): { readonly text: string; readonly params: readonly unknown[] } {
  const isSmall = allSections.every(({ rows }) => commit[rows].length <= mostRowsOfSmall)
  let key = 0
  allSections.forEach(({ rows }, index) => {
    const count = commit[rows].length
    if (count > 0) key += (isSmall && count === 1 ? 3 : 1) * 4 ** index
  })
  const shape = shapes.get(key) ?? shapeOf(key)
  shapes.set(key, shape)
  const params: unknown[] = [commit.owner]
  for (const { rows, columns, isScalar } of shape.sections) {
    const given = commit[rows] as readonly object[]
    params.push(...(isScalar ? rowParams(columns, given[0]!) : arrayParams(columns, given)))
    if (rows === 'leases' || rows === 'updated') params.push(given.length)
  }
  return { text: shape.text, params }
}

function shapeOf(key: number): Shape {
  const parts: string[] = []
  const results: string[] = []
  const used = allSections.flatMap((section, index) => {
    const bits = Math.floor(key / 4 ** index) % 4
    return bits === 0 ? [] : [{ ...section, isScalar: bits === 3 }]
  })
  let next = 2
  for (const { rows, columns, sql, isScalar } of used) {
    const source = isScalar ? rowSourceText(columns, next) : arraySourceText(columns, next)
    next += columns.length
    parts.push(`${cteName(rows)} as (${sql(source)})`)
    const state = rows === 'leases' ? staleLease : rows === 'updated' ? sequenceConflict : undefined
    if (state === undefined) continue
    results.push(`statewright_require((select count(*) from ${cteName(rows)}) = $${next}::int, '${state}')`)
    next += 1
  }
  const hasInbox = used.some(({ rows }) => rows === 'inbox')
  results.push(`${hasInbox ? `(select json_agg(x_inbox)::text from x_inbox)` : 'null::text'} as inbox`)
  return { text: `with ${parts.join(',\n')}\nselect ${results.join(', ')}`, sections: used }
}

function cteName(rows: string): string {
  return `x_${rows.toLowerCase()}`
}

function refusal(error: unknown): unknown {
  if (!(error instanceof SqlError)) return error
  if (error.code === staleLease) return new StaleLeaseError(error.message, { cause: error })
  if (error.code === sequenceConflict) return new SequenceConflictError(error.message, { cause: error })
  if (error.code !== '23505') return error
  if (error.constraint === 'event_key') return new DuplicateKeyError(error.message, { cause: error })
  return error.constraint === 'actor_pkey' || error.constraint === 'event_pkey'
    ? new SequenceConflictError(error.message, { cause: error })
    : error
}
