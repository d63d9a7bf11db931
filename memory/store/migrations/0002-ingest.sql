-- A bulk ingest. The actor `ingest-job:<id>` keeps where it stands until it has ended; then this row says how.
create table ingest_job (
  id text primary key,
  -- The order of acceptance, which is the order of work within a repository.
  number bigint generated always as identity unique,
  -- Its request is still being read: nobody sees it.
  is_staged boolean not null default true,
  repo text not null default '',
  total integer not null default 0,
  created_at bigint not null,
  -- Null until it has ended; then the view of it, and its items are gone.
  outcome jsonb
);
create index ingest_job_unfinished on ingest_job (repo, number) where outcome is null and not is_staged;
create index ingest_job_of_repo on ingest_job (repo, number desc);

create table ingest_item (
  job text not null references ingest_job on delete cascade,
  index integer not null,
  idempotency_key text,
  content text not null,
  metadata jsonb not null,
  file text,
  -- Once its own row is there, and the earlier memories of its file are not.
  memory_id text,
  purged integer not null default 0,
  outcome text check (outcome in ('stored', 'duplicated', 'partial_success', 'skipped')),
  primary key (job, index)
);
create index ingest_item_of_file on ingest_item (job, file);

-- Files whose earlier memories go, each right before its own items (rulings 1.6).
create table ingest_file (
  job text not null references ingest_job on delete cascade,
  file text not null,
  is_purged boolean not null default false,
  purged integer not null default 0,
  primary key (job, file)
);
