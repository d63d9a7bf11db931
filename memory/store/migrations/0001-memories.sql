-- Of embeddings only: everything else works without it, and a server may not have it.
do $$ begin
  if exists (select 1 from pg_available_extensions where name = 'vector') then
    create extension if not exists vector;
  end if;
exception when insufficient_privilege then null;
end $$;

-- A memory; this row is the truth, engines are fed from it. A row that is gone is gone for every reader at once.
create table memory (
  id text primary key,
  -- Of what makes two memories one (rulings 3.25): content and metadata, or repository, file and content.
  identity bytea not null unique,
  content text not null,
  metadata jsonb not null,
  repo text not null,
  file text,
  status text not null check (status in ('processing', 'ready', 'failed')),
  -- Why the engine did not take it.
  fault text,
  track_id text not null,
  -- The ingest job that feeds it; null: nobody but the feed.
  job text,
  -- Attempts to feed it, and when the next one is due. A feed that is under way stands in the future.
  attempts integer not null default 0,
  feed_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index memory_of_file on memory (repo, file);
create index memory_to_feed on memory (feed_at) where status = 'processing';

-- Dies with its memory (rulings 1.7).
create table memory_key (
  repo text not null,
  key text not null,
  memory_id text not null references memory on delete cascade,
  primary key (repo, key)
);
create index memory_key_of_memory on memory_key (memory_id);

-- Deleted here already, to be taken out of the engine.
create table memory_removal (
  memory_id text primary key,
  attempts integer not null default 0,
  due_at bigint not null,
  fault text
);
create index memory_removal_due on memory_removal (due_at);
