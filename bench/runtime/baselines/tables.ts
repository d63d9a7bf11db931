/** The tables of the hand-written baselines: one row an actor with its snapshot in it, journal, outbox. */
import type { ClientBase } from 'pg'
import { initialTransition } from 'xstate'
import { ringMachine } from '../contenders/machine.ts'

export const initialSnapshot = ringMachine.getPersistedSnapshot(initialTransition(ringMachine)[0])
export const initialBody = JSON.stringify(initialSnapshot)

const ddl = `
create table actor (id int primary key, rev bigint not null, epoch int not null default 1, snapshot text not null)
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
alter table actor alter column snapshot set storage plain;
create table event (actor int not null, seq bigint not null, key text not null, body text not null,
  at timestamptz not null default now(), primary key (actor, seq));
create table outbox (actor int not null, seq bigint not null, effect text not null, primary key (actor, seq))
  with (autovacuum_vacuum_scale_factor = 0.05)`

export async function createBaselineTables(client: ClientBase, actors: number): Promise<void> {
  await client.query(ddl)
  await client.query('insert into actor (id, rev, snapshot) select g, 0, $1 from generate_series(0, $2 - 1) g', [
    initialBody,
    actors,
  ])
  await client.query('vacuum analyze actor')
}
