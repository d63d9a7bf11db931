import type { Columns } from './columns.ts'

/** The columns of each table, in the order of the migrations. */
export const actorColumns = [
  ['address', 'text'],
  ['kind', 'text'],
  ['shard', 'int'],
  ['seq', 'bigint'],
  ['version', 'int'],
  ['machine_hash', 'text'],
  ['status', 'text'],
  ['path', 'text'],
  ['fault', 'text'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
  ['pending', 'text'],
] as const satisfies Columns

export const snapshotColumns = [
  ['actor', 'text'],
  ['seq', 'bigint'],
  ['version', 'int'],
  ['machine_hash', 'text'],
  ['body', 'text'],
] as const satisfies Columns

export const baselineColumns = [...snapshotColumns, ['at', 'bigint']] as const satisfies Columns

export const eventColumns = [
  ['actor', 'text'],
  ['seq', 'bigint'],
  ['key', 'text'],
  ['body', 'text'],
  ['effects', 'text'],
  ['answer', 'text'],
  ['path', 'text'],
  ['status', 'text'],
  ['handled', 'boolean'],
  ['fault', 'text'],
  ['state_hash', 'text'],
  ['machine_hash', 'text'],
  ['at', 'bigint'],
] as const satisfies Columns

export const inboxColumns = [
  ['actor', 'text'],
  ['shard', 'int'],
  ['key', 'text'],
  ['body', 'text'],
  ['at', 'bigint'],
] as const satisfies Columns

export const effectColumns = [
  ['actor', 'text'],
  ['seq', 'bigint'],
  ['idx', 'int'],
  ['shard', 'int'],
  ['type', 'text'],
  ['params', 'text'],
  ['attempts', 'int'],
  ['not_before', 'bigint'],
  ['last_error', 'text'],
  ['dead', 'boolean'],
  ['at', 'bigint'],
] as const satisfies Columns

export const timerColumns = [
  ['actor', 'text'],
  ['id', 'text'],
  ['shard', 'int'],
  ['seq', 'bigint'],
  ['due_at', 'bigint'],
  ['body', 'text'],
] as const satisfies Columns

export const listingColumns = [
  ['address', 'text'],
  ['seq', 'bigint'],
  ['version', 'int'],
  ['words', 'text'],
  ['named', 'text'],
  ['ended_at', 'bigint'],
] as const satisfies Columns

export const deadLetterColumns = [
  ['actor', 'text'],
  ['key', 'text'],
  ['body', 'text'],
  ['reason', 'text'],
  ['at', 'bigint'],
] as const satisfies Columns
