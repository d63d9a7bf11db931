-- A bulk ingest: the actor `ingest-job:<id>` keeps where it stands, these rows what it is about.
create table ingest_job (
  id text primary key,
  -- The order of acceptance, which is the order of work within a repository.
  number bigint generated always as identity unique,
  repo text not null,
  total integer not null,
  -- Files whose earlier memories go and that bring no items.
  dropped_files text[] not null,
  -- Purge the other files of the request, each right before its own items (rulings 1.6).
  reconciles boolean not null,
  is_final boolean not null default false,
  created_at bigint not null
);
create index ingest_job_unfinished on ingest_job (repo, number) where not is_final;
create index ingest_job_newest on ingest_job (created_at desc, number desc);

create table ingest_item (
  job text not null references ingest_job on delete cascade,
  index integer not null,
  idempotency_key text,
  content text not null,
  metadata jsonb not null,
  file text,
  -- Once the earlier memories of its file went and its own row is there.
  memory_id text,
  outcome text check (outcome in ('stored', 'duplicated', 'partial_success', 'skipped', 'failed')),
  primary key (job, index)
);
create index ingest_item_of_file on ingest_item (job, file, index);

-- Files whose earlier memories this job has purged already, and how many those were.
create table ingest_purge (
  job text not null references ingest_job on delete cascade,
  file text not null,
  memories integer not null,
  primary key (job, file)
);
