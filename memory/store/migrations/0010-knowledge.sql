-- What an engine has been fed with. Apart from `memory`: a memory that is gone there waits here until the engine let it go.
create table engine_memory (
  memory_id text primary key,
  content_sha text not null,
  repo text not null,
  file text,
  metadata jsonb not null
);
create index engine_memory_of_file on engine_memory (repo, file);

-- Things that memories are about. The id follows from the key, so that whoever fills an engine anew finds the same ones.
create table knowledge_entity (
  id uuid primary key,
  key text not null unique,
  name text not null,
  type text not null,
  description text not null default '',
  -- People wrote the description: what an engine finds no longer changes it.
  is_described boolean not null default false,
  metadata jsonb not null default '{}',
  -- How many memories speak of it.
  memories integer not null default 0
);

-- Directed and typed; which engine or person says it is told by its sources.
create table knowledge_edge (
  id uuid primary key,
  from_id uuid not null references knowledge_entity on delete cascade,
  to_id uuid not null references knowledge_entity on delete cascade,
  relation text not null,
  description text not null default '',
  -- How often memories say it.
  weight double precision not null default 1,
  memories integer not null default 0,
  tier text not null check (tier in ('EXTRACTED', 'INFERRED', 'AMBIGUOUS')),
  metadata jsonb not null default '{}',
  -- Said by a caller of ours: lives without a memory, as long as both its ends do.
  is_asserted boolean not null default false,
  unique (from_id, to_id, relation)
);
create index knowledge_edge_to on knowledge_edge (to_id);

-- Which memories say so, how often: the last one to go takes the entity or the edge along.
create table knowledge_entity_source (
  memory_id text not null references engine_memory on delete cascade,
  entity_id uuid not null references knowledge_entity on delete cascade,
  mentions integer not null,
  primary key (memory_id, entity_id)
);
create index knowledge_entity_source_of on knowledge_entity_source (entity_id);

create table knowledge_edge_source (
  memory_id text not null references engine_memory on delete cascade,
  edge_id uuid not null references knowledge_edge on delete cascade,
  mentions integer not null,
  primary key (memory_id, edge_id)
);
create index knowledge_edge_source_of on knowledge_edge_source (edge_id);
