-- One row: sizes that every score needs. Who writes to the index locks it first, so writers never meet in another order.
create table engine_index (
  only_one boolean primary key default true check (only_one),
  tokenizer integer not null default 0,
  memories bigint not null default 0,
  chunks bigint not null default 0,
  -- Terms of all chunks together, repetitions counted.
  length bigint not null default 0,
  version bigint not null default 0,
  -- Of which version the communities are.
  communities_of bigint not null default 0
);
insert into engine_index default values;

create table engine_chunk (
  no bigint generated always as identity primary key,
  memory_id text not null references engine_memory on delete cascade,
  ord integer not null,
  content text not null,
  length integer not null,
  -- The ids of its terms: what to take out of the posting lists when it goes.
  terms integer[] not null,
  unique (memory_id, ord)
);

create table engine_term (
  id integer generated always as identity primary key,
  text text collate "C" not null unique,
  chunks integer not null
) with (fillfactor = 70);

-- The chunk's length stands with each posting: a score needs no other row.
create table engine_posting (
  term_id integer not null,
  chunk_no bigint not null,
  count integer not null,
  length integer not null,
  primary key (term_id, chunk_no) include (count, length)
);

-- The terms of entities' names, by which a query finds them.
create table engine_entity_term (
  term text collate "C" not null,
  entity_id uuid not null references knowledge_entity on delete cascade,
  -- How many terms the name has.
  of_terms integer not null,
  primary key (term, entity_id)
);
create index engine_entity_term_of on engine_entity_term (entity_id);

create table engine_mention (
  chunk_no bigint not null references engine_chunk on delete cascade,
  entity_id uuid not null references knowledge_entity on delete cascade,
  count integer not null,
  primary key (chunk_no, entity_id)
);
create index engine_mention_of on engine_mention (entity_id);

create table engine_community (
  entity_id uuid primary key references knowledge_entity on delete cascade,
  community integer not null,
  -- The share of its ties that stay within.
  centrality double precision not null
);
create index engine_community_members on engine_community (community);
