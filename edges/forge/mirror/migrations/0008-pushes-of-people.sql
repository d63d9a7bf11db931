-- Who pushed, as a signed delivery says it; a push of a pod has nobody here.
alter table forge_push add column by_login text;
create index forge_push_ref on forge_push (project, repository, ref);
