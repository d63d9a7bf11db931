-- The durable runtime. Times are epoch milliseconds that the program passes: no now(), no defaults that read a clock.
-- JSON is text: written once and read whole, and a third of jsonb's write-ahead log.

-- One lease per shard. `epoch` is the fencing token: every takeover raises it.
create table shard (
  shard int primary key,
  owner text,
  epoch bigint not null,
  expires_at bigint not null
);

-- Narrow and updated in place: no index covers a column that a step changes.
create table actor (
  address text collate "C" primary key,
  kind text not null,
  shard int not null,
  seq bigint not null,
  version int not null,
  machine_hash text not null,
  status text not null check (status in ('active', 'done', 'quarantined')),
  path text not null,
  fault text,
  created_at bigint not null,
  updated_at bigint not null
) with (fillfactor = 50);

-- The newest snapshot of an actor; the events behind it are folded over it.
create table snapshot (
  actor text collate "C" primary key,
  seq bigint not null,
  version int not null,
  machine_hash text not null,
  body text not null
) with (fillfactor = 60);

-- Where a journal may be folded from: what an actor was when other code took it over. Without one, from nothing.
create table baseline (
  actor text collate "C" not null,
  seq bigint not null,
  version int not null,
  machine_hash text not null,
  body text not null,
  at bigint not null,
  primary key (actor, seq, machine_hash)
);

-- The journal. `key` is the inbox mark: a key that is here was applied.
create table event (
  actor text collate "C" not null,
  seq bigint not null,
  key text collate "C" not null,
  body text not null,
  effects text not null,
  answer text,
  path text not null,
  status text not null,
  handled boolean not null,
  fault text,
  state_hash text not null,
  machine_hash text not null,
  at bigint not null,
  constraint event_pkey primary key (actor, seq),
  constraint event_key unique (actor, key)
);

-- Acknowledged and not yet stepped: from another actor, from a performed effect, or from a process that owns not the shard.
create table inbox (
  id bigserial primary key,
  actor text collate "C" not null,
  shard int not null,
  key text collate "C" not null,
  body text not null,
  at bigint not null,
  constraint inbox_key unique (actor, key)
);
create index inbox_shard on inbox (shard, id);

-- Effects that were decided and are not settled; a row goes when the effect is performed or withdrawn.
create table effect (
  actor text collate "C" not null,
  seq bigint not null,
  idx int not null,
  shard int not null,
  type text not null,
  params text not null,
  attempts int not null,
  not_before bigint not null,
  last_error text,
  dead boolean not null,
  at bigint not null,
  primary key (actor, seq, idx)
) with (fillfactor = 80);

create table timer (
  actor text collate "C" not null,
  id text collate "C" not null,
  shard int not null,
  seq bigint not null,
  due_at bigint not null,
  body text not null,
  primary key (actor, id)
);
create index timer_due on timer (due_at);

-- Events that changed nothing and should be looked at: unknown actor, a step that threw, data that the store refused.
create table dead_letter (
  id bigserial primary key,
  actor text not null,
  key text not null,
  body text not null,
  reason text not null,
  at bigint not null
);
create index dead_letter_actor on dead_letter (actor, key);

-- Raises inside the committing statement, so that a stale owner or a lost race takes the whole commit with it.
create function statewright_require(held boolean, state text) returns boolean language plpgsql as $$
begin
  if held is not true then
    raise exception 'commit refused: %', state using errcode = state;
  end if;
  return true;
end
$$;
