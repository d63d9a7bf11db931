/** Waits until a run has come to rest and gathers what is known of it. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ActorAddress } from '../../../machines/definition.ts'
import { journalRow } from '../../../runtime/actor-state.ts'
import { machineHash } from '../../../runtime/step/machine-hash.ts'
import { replayActor } from '../../../runtime/journal/replay.ts'
import { findActors } from '../../../runtime/store/actors/find-actors.ts'
import { readJournal } from '../../../runtime/store/journal/read-journal.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { unsettledText } from '../../../runtime/store/effects/unsettled-effects.ts'
import { readLines } from './acknowledged-log.ts'
import type { Acknowledged, History, Row, Takeover } from './history.ts'
import { chaosDefinitions, type EffectLine } from './messages.ts'

export interface EvidenceFolder {
  readonly acknowledged: string
  readonly receipts: string
}

export interface Rest {
  readonly shards: number
  readonly crew: number
}

const everything = 1_000_000

const unsettled = `select 'inbox: ' || actor || ' ' || key as one from inbox
  union all select 'effect: ' || actor || ' ' || seq || ' ' || type || coalesce(' ' || "lastError", '')
    from (${unsettledText({ where: 'true' })}) as unsettled
  union all select 'timer: ' || actor || ' ' || id || ' ' || seq from timer
  union all select 'dead letter: ' || actor || ' ' || key || ' ' || reason from dead_letter limit 20`

/** Bounded: what has not come to rest by then is what the laws will complain about. */
export async function rest(sql: Sql, { shards, crew }: Rest, boundMs: number): Promise<void> {
  const until = Date.now() + boundMs
  while (Date.now() < until) {
    const left = await sql.query(unsettled)
    const { rows } = await sql.query<{ held: number }>(
      'select count(*) as held from shard s join process p on p.owner = s.owner group by s.owner',
    )
    const counts = rows.map((row) => row.held)
    const isFair = counts.length === crew && Math.max(...counts) - Math.min(...counts) <= 1
    if (left.rows.length === 0 && isFair && counts.reduce((sum, count) => sum + count, 0) === shards) return
    await delay(50)
  }
}

export type Stored = Omit<History, 'absences' | 'leaseMs'>

export async function gather(sql: Sql, folder: EvidenceFolder, shards: number): Promise<Stored> {
  const addresses = (await Promise.all(chaosDefinitions.map(({ kind }) => addressesOf(sql, kind)))).flat()
  const journals = new Map<ActorAddress, readonly Row[]>()
  for (const actor of addresses) {
    const rows = await readJournal(sql, { actor, from: 1, limit: everything })
    journals.set(actor, rows.map(journalRow) as unknown as readonly Row[])
  }
  const replays = []
  for (const address of addresses) replays.push(await replay(sql, address))
  const rows = async <T extends object>(text: string): Promise<readonly T[]> => (await sql.query<T>(text)).rows
  return {
    journals,
    replays,
    shards,
    acknowledged: await readLines<Acknowledged>(folder.acknowledged),
    performed: await receiptsIn(folder.receipts),
    takeovers: await rows<Takeover>('select shard, epoch, owner, at from audit_takeover order by shard, epoch'),
    staleCommits: await rows('select actor, seq, writer from audit_stale_commit order by actor, seq limit 20'),
    leftovers: (await rows<{ one: string }>(unsettled)).map((row) => row.one),
    owners: await rows('select shard, owner from shard order by shard'),
    living: (await rows<{ owner: string }>('select owner from process order by owner')).map((row) => row.owner),
  }
}

async function addressesOf(sql: Sql, kind: string): Promise<readonly ActorAddress[]> {
  const rows = await findActors(sql, { prefix: `${kind}:`, status: undefined, after: '', limit: everything })
  return rows.map(({ address }) => address)
}

function replay(sql: Sql, address: ActorAddress): ReturnType<typeof replayActor> {
  const definition = chaosDefinitions.find(({ kind }) => address.startsWith(`${kind}:`))!
  return replayActor(sql, { definition, hash: machineHash(definition) }, address)
}

async function receiptsIn(folder: string): Promise<readonly EffectLine[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.receipts'))
  const lines = await Promise.all(names.map((name) => readLines<EffectLine>(join(folder, name))))
  return lines.flat()
}
