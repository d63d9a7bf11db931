-- Generated from the migrations by dumpSchema; a test compares it with what they make. Do not edit.

create table actor (
  address text collate "C" not null,
  kind text not null,
  shard integer not null,
  seq bigint not null,
  version integer not null,
  machine_hash text not null,
  status text not null,
  path text not null,
  fault text,
  created_at bigint not null,
  updated_at bigint not null,
  pending text,
  constraint actor_pkey PRIMARY KEY (address),
  constraint actor_status_check CHECK ((status = ANY (ARRAY['active'::text, 'done'::text, 'quarantined'::text])))
);
create table baseline (
  actor text collate "C" not null,
  seq bigint not null,
  version integer not null,
  machine_hash text not null,
  body text not null,
  at bigint not null,
  constraint baseline_pkey PRIMARY KEY (actor, seq, machine_hash)
);
create table compaction (
  actor text collate "C" not null,
  seq bigint not null,
  at bigint not null,
  constraint compaction_pkey PRIMARY KEY (actor)
);
create table dead_letter (
  id bigint not null default nextval('dead_letter_id_seq'::regclass),
  actor text not null,
  key text not null,
  body text not null,
  reason text not null,
  at bigint not null,
  constraint dead_letter_pkey PRIMARY KEY (id)
);
create table effect (
  actor text collate "C" not null,
  seq bigint not null,
  idx integer not null,
  shard integer not null,
  type text not null,
  params text not null,
  attempts integer not null,
  not_before bigint not null,
  last_error text,
  dead boolean not null,
  at bigint not null,
  constraint effect_pkey PRIMARY KEY (actor, seq, idx)
);
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
  state_hash text,
  machine_hash text not null,
  at bigint not null,
  constraint event_key UNIQUE (actor, key),
  constraint event_pkey PRIMARY KEY (actor, seq)
);
create table inbox (
  id bigint not null default nextval('inbox_id_seq'::regclass),
  actor text collate "C" not null,
  shard integer not null,
  key text collate "C" not null,
  body text not null,
  at bigint not null,
  constraint inbox_key UNIQUE (actor, key),
  constraint inbox_pkey PRIMARY KEY (id)
);
create table listing (
  address text not null,
  seq bigint not null,
  version integer not null,
  words text not null,
  named text not null,
  ended_at bigint,
  constraint listing_pkey PRIMARY KEY (address)
);
create table migration (
  owner text not null,
  name text not null,
  checksum text not null,
  constraint migration_pkey PRIMARY KEY (owner, name)
);
create table process (
  owner text collate "C" not null,
  incarnation bigint not null,
  beat bigint not null,
  constraint process_pkey PRIMARY KEY (owner)
);
create table shard (
  shard integer not null,
  owner text,
  epoch bigint not null,
  constraint shard_pkey PRIMARY KEY (shard)
);
create table snapshot (
  actor text collate "C" not null,
  seq bigint not null,
  version integer not null,
  machine_hash text not null,
  body text not null,
  constraint snapshot_pkey PRIMARY KEY (actor)
);
create table timer (
  actor text collate "C" not null,
  id text collate "C" not null,
  shard integer not null,
  seq bigint not null,
  due_at bigint not null,
  body text not null,
  constraint timer_pkey PRIMARY KEY (actor, id)
);
CREATE INDEX actor_live ON public.actor USING btree (address) WHERE (status <> 'done'::text);
CREATE INDEX dead_letter_actor ON public.dead_letter USING btree (actor, key);
CREATE INDEX inbox_shard ON public.inbox USING btree (shard, id);
CREATE INDEX listing_ended ON public.listing USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX listing_live ON public.listing USING btree (address) WHERE (ended_at IS NULL);
CREATE INDEX timer_shard_due ON public.timer USING btree (shard, due_at);
