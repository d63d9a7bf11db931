-- What the forge told, as rows. Times are epoch milliseconds that the program passes. Documents are JSON text.

-- The edge's own inbox: a delivery whose signature held, verbatim, until it was worked off. The key is what makes a
-- second one a duplicate (rulings 4.1), so rows stay after their body is gone.
create table forge_delivery (
  project text collate "C" not null,
  delivery text collate "C" not null,
  seq bigserial not null,
  provider text not null,
  event text not null,
  body text not null,
  state text not null check (state in ('pending', 'done', 'dead')),
  attempts int not null,
  not_before bigint not null,
  last_error text,
  received_at bigint not null,
  primary key (project, delivery)
);
create index forge_delivery_pending on forge_delivery (seq) where state = 'pending';

-- One row per issue and merge request. `facts_hash` and `revision` say what its actor was told last.
create table forge_subject (
  project text collate "C" not null,
  repository text collate "C" not null,
  sort text not null check (sort in ('issue', 'mr')),
  number int not null,
  state text not null,
  head_sha text,
  head_branch text,
  author text not null,
  document text not null,
  notes text not null,
  complete boolean not null,
  updated_at bigint not null,
  seen_at bigint not null,
  facts_hash text not null,
  revision bigint not null,
  primary key (project, repository, sort, number)
);
create index forge_subject_head on forge_subject (project, repository, head_sha);

-- Comments, reviews and line comments. `told`: its actor heard of it, or never has to.
create table forge_comment (
  project text collate "C" not null,
  repository text collate "C" not null,
  on_sort text not null check (on_sort in ('issue', 'mr')),
  number int not null,
  id text collate "C" not null,
  sort text not null check (sort in ('comment', 'review', 'inline')),
  author text not null,
  document text not null,
  body_hash text not null,
  edited_by text,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  told boolean not null,
  primary key (project, repository, id)
);
create index forge_comment_thread on forge_comment (project, repository, on_sort, number, created_at);

-- The numeric id behind a login, bound at first sight: a reused login is not the same person (rulings 4.14).
create table forge_account (
  project text collate "C" not null,
  login text collate "C" not null,
  account_id text not null,
  bound_at bigint not null,
  primary key (project, login)
);

-- Up to when a repository was read back.
create table forge_cursor (
  project text collate "C" not null,
  repository text collate "C" not null,
  since bigint not null,
  has_checks boolean not null,
  primary key (project, repository)
);

-- Every push of a pod, allowed or refused.
create table forge_push (
  id bigserial primary key,
  project text collate "C" not null,
  repository text collate "C" not null,
  task text not null,
  pod text not null,
  ref text not null,
  before text not null,
  after text not null,
  outcome text not null,
  reason text,
  at bigint not null
);
create index forge_push_sha on forge_push (project, repository, after);
