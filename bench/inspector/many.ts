/** A store with as many actors as one wants, in states that the simulation led them to, and one long history. */
import { Simulation } from '../../property-tests/simulation/run.ts'
import type { Sql } from '../../runtime/store/sql.ts'

type Row = Readonly<Record<string, unknown>>

/** What lives left in the tables that the inspector reads. Two lives name their actors alike, so each name ends with its seed. */
export interface Lived {
  readonly actors: readonly Row[]
  readonly snapshots: readonly Row[]
  readonly listings: readonly Row[]
  readonly events: readonly Row[]
}

const tables = { actors: 'actor', snapshots: 'snapshot', listings: 'listing', events: 'event' } as const

export async function livedBy(seeds: readonly number[]): Promise<Lived> {
  const simulation = await Simulation.open()
  const lived = { actors: [] as Row[], snapshots: [] as Row[], listings: [] as Row[], events: [] as Row[] }
  try {
    for (const seed of seeds) {
      await simulation.run(simulation.plan(seed))
      for (const [name, table] of Object.entries(tables)) {
        const { rows } = await simulation.store.query<Row>(`select * from ${table}`)
        lived[name as keyof Lived].push(...rows.map((row) => named(row, (address) => `${address}-s${seed}`)))
      }
    }
  } finally {
    await simulation.close()
  }
  return lived
}

function named(row: Row, name: (address: string) => string): Row {
  const { address, actor, words } = row as { readonly [field in 'address' | 'actor' | 'words']?: string }
  return {
    ...row,
    ...(address === undefined ? {} : { address: name(address) }),
    ...(actor === undefined ? {} : { actor: name(actor) }),
    // Its first line is the address.
    ...(words === undefined ? {} : { words: words.replace(/^[^\n]*/, (first) => name(first)) }),
  }
}

/** Copies under new names, `-c0001` and so on, until there are so many. The first keep theirs, and have journals. */
export async function fill(sql: Sql, { actors, snapshots, listings, events }: Lived, count: number): Promise<void> {
  await insert(sql, 'event', events)
  for (let copy = 0; copy * actors.length < count; copy++) {
    const some = actors.slice(0, count - copy * actors.length)
    const chosen = new Set(some.map(({ address }) => address))
    const copied = (rows: readonly Row[], key: 'address' | 'actor'): readonly Row[] =>
      rows
        .filter((row) => chosen.has(row[key]))
        .map((row) => (copy === 0 ? row : named(row, (address) => `${address}-c${String(copy).padStart(4, '0')}`)))
    await insert(sql, 'actor', copied(actors, 'address'))
    await insert(sql, 'snapshot', copied(snapshots, 'actor'))
    await insert(sql, 'listing', copied(listings, 'address'))
  }
  await sql.exec('analyze actor; analyze listing; analyze snapshot')
}

/** Makes the longest journal of a Task so long, by its own steps again and again; gives its address. */
export async function lengthen(sql: Sql, { events }: Lived, steps: number): Promise<string> {
  const journals = Map.groupBy(
    events.filter(({ actor }) => String(actor).startsWith('task:')),
    ({ actor }) => String(actor),
  )
  const [address, journal] = [...journals].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
  if (address === undefined || journal === undefined) throw new Error('no Task lived')
  const inOrder = journal.toSorted((one, other) => Number(one['seq']) - Number(other['seq']))
  const first = Number(inOrder[0]?.['seq'])
  const more = Array.from({ length: steps - inOrder.length }, (_, index): Row => {
    const seq = first + inOrder.length + index
    return { ...inOrder[index % inOrder.length], seq, key: `again-${seq}` }
  })
  await insert(sql, 'event', more)
  const last = first + steps - 1
  await sql.query('update actor set seq = $2 where address = $1', [address, last])
  await sql.query('update snapshot set seq = $2 where actor = $1', [address, last])
  return address
}

async function insert(sql: Sql, table: string, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 500) {
    const some = JSON.stringify(rows.slice(at, at + 500))
    await sql.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [some])
  }
}
