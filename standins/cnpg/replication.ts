/** What the operator does with primaries and standbys inside their PostgreSQL. Each may be done again. */
import pg from 'pg'
import { slotOf, type ClusterSpec } from './cluster.ts'
import { within, type Superuser } from './superuser.ts'

/** Of a primary: a slot for each standby and for nobody else, and whom a commit waits for. */
export async function serveStandbys(
  superuser: Superuser,
  standbys: readonly string[],
  synchronous: ClusterSpec['postgresql']['synchronous'],
): Promise<void> {
  const names = standbys.map((name) => pg.escapeIdentifier(name)).join(', ')
  const waitsFor =
    synchronous === undefined || names === '' ? '' : `${synchronous.method} ${synchronous.number} (${names})`
  await within(superuser, 'postgres', async (client) => {
    const slots = standbys.map(slotOf)
    await client.query(
      `select pg_create_physical_replication_slot(name, true) from unnest($1::text[]) name
       where name not in (select slot_name from pg_replication_slots)`,
      [slots],
    )
    await client.query(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots
       where slot_name like '\\_cnpg\\_%' and slot_name <> all($1) and not active`,
      [slots],
    )
    await client.query(`alter system set synchronous_standby_names = ${pg.escapeLiteral(waitsFor)}`)
    await client.query('select pg_reload_conf()')
  })
}

export interface Position {
  /** A primary of before is still heard. */
  readonly receives: boolean
  /** In bytes of the log. */
  readonly received: bigint
}

export async function positionOf(superuser: Superuser): Promise<Position> {
  const { rows } = await within(superuser, 'postgres', (client) =>
    client.query<{ receives: boolean; received: string }>(
      `select exists (select from pg_stat_wal_receiver where status = 'streaming') as receives,
         greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn as received`,
    ),
  )
  return { receives: rows[0]?.receives ?? true, received: BigInt(rows[0]?.received ?? 0) }
}

/** Its first checkpoint stands in its control file, where pg_rewind looks for the timeline. */
export async function promote(superuser: Superuser): Promise<void> {
  await within(superuser, 'postgres', async (client) => {
    await client.query('select pg_promote() where pg_is_in_recovery()')
    await client.query('checkpoint')
  })
}
