import type { Queryable } from '../../runtime/store/sql.ts'
import { insertMemories, storeMemory, type Draft, type MemoryKey, type Stored } from './store-memory.ts'

/**
 * Stores memories as `storeMemory` would, one after the other: what is new of text and key, which is nearly all of an
 * ingest, with one statement a table, and the rest one by one. What is new may go first, for it is the first of its text
 * and of its key. Inside a transaction of the caller's, which has locked the keys (`lockKeys`) before it took any row.
 */
export async function storeMemories(tx: Queryable, drafts: readonly Draft[], now: number): Promise<readonly Stored[]> {
  const unheld = await withKeysUnheld(tx, drafts)
  const fresh = firsts(unheld, drafts)
  const inserted = fresh.length === 0 ? [] : await insertMemories(tx, fresh, now)
  const rows = new Map(inserted.map((row) => [row.id, row]))
  await holdNewKeys(
    tx,
    drafts.filter(({ id }) => rows.has(id)),
  )
  const stored: Stored[] = []
  for (const draft of drafts) {
    const row = rows.get(draft.id)
    stored.push(row ? { row, how: 'new', replaced: [] } : await storeMemory(tx, draft, now))
  }
  return stored
}

/** Those without a key, or with one that stands for nothing yet. */
async function withKeysUnheld(tx: Queryable, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const keys = drafts.flatMap(({ key }) => key ?? [])
  if (keys.length === 0) return drafts
  const { rows } = await tx.query<MemoryKey>(
    `select k.repo, k.key as text from memory_key k
    join unnest($1::text[], $2::text[]) as asked (repo, key) on k.repo = asked.repo and k.key = asked.key`,
    [keys.map(({ repo }) => repo), keys.map(({ text }) => text)],
  )
  const held = new Set(rows.map(nameOf))
  return drafts.filter(({ key }) => key === undefined || !held.has(nameOf(key)))
}

/** Of these, whose text and key no draft before them has. */
function firsts(some: readonly Draft[], all: readonly Draft[]): readonly Draft[] {
  const seen = new Set<string>()
  const repeated = new Set<Draft>()
  for (const draft of all)
    for (const name of [draft.identity.toString('hex'), ...(draft.key === undefined ? [] : [nameOf(draft.key)])]) {
      if (seen.has(name)) repeated.add(draft)
      seen.add(name)
    }
  return some.filter((draft) => !repeated.has(draft))
}

function nameOf({ repo, text }: MemoryKey): string {
  return JSON.stringify([repo, text])
}

async function holdNewKeys(tx: Queryable, drafts: readonly Draft[]): Promise<void> {
  const keyed = drafts.flatMap(({ id, key }) => (key === undefined ? [] : { id, ...key }))
  if (keyed.length === 0) return
  await tx.query(
    'insert into memory_key (repo, key, memory_id) select * from unnest($1::text[], $2::text[], $3::text[])',
    [keyed.map(({ repo }) => repo), keyed.map(({ text }) => text), keyed.map(({ id }) => id)],
  )
}
