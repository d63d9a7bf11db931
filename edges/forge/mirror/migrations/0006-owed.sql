-- A subject that could not be read, while the rest of its repository could: the next resyncs read it first.
create table forge_owed (
  project text collate "C" not null,
  repository text collate "C" not null,
  sort text not null check (sort in ('issue', 'mr')),
  number int not null,
  attempts int not null,
  error text not null,
  tried_at bigint not null,
  primary key (project, repository, sort, number)
);

-- Resyncs of the repository in a row that failed, and why the last one did.
alter table forge_cursor add column failures int not null default 0;
alter table forge_cursor add column failure text not null default '';
alter table forge_cursor add column failed_at bigint not null default 0;
