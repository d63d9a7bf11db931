-- How far the history of a repository is read: `next` is the forge's own word for the next page, null before the first.
create table forge_history (
  project text collate "C" not null,
  repository text collate "C" not null,
  sort text not null check (sort in ('issue', 'mr')),
  next text,
  done boolean not null,
  primary key (project, repository, sort)
);
-- Lists go by the newest change; threads that were never read whole are the work that is left.
create index forge_subject_newest on forge_subject (project, sort, updated_at);
create index forge_subject_incomplete on forge_subject (project, repository, updated_at) where not complete;
