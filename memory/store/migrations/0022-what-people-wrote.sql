-- What callers wrote on an entity. Outlives the entity: it is written on it again when a memory names it again.
create table knowledge_note (
  entity_id uuid primary key,
  metadata jsonb not null default '{}',
  -- Null: nobody wrote one.
  description text
);
insert into knowledge_note (entity_id, metadata, description)
  select id, metadata, case when is_described then description end from knowledge_entity
  where is_described or metadata <> '{}';

-- Edges that callers asserted. `knowledge_edge` has each of them while both its ends are there.
create table knowledge_assertion (
  edge_id uuid primary key,
  from_id uuid not null,
  to_id uuid not null,
  relation text not null,
  description text not null,
  metadata jsonb not null
);
create index knowledge_assertion_from on knowledge_assertion (from_id);
create index knowledge_assertion_to on knowledge_assertion (to_id);
insert into knowledge_assertion (edge_id, from_id, to_id, relation, description, metadata)
  select id, from_id, to_id, relation, description, metadata from knowledge_edge where is_asserted;
