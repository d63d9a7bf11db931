-- Which repository of the forge a Repository resource stands for (MIRROR-7). From here on `project` is the uid of the Project
-- resource in every table, and `repository` the name of the Repository with the forge's own id, `<name>#<id>`. `address` is where
-- the forge was asked. The newest row of an address counts; the others are what it led to before. `gone_at`: since then nothing
-- stands for it; null while something does.
create table forge_repository (
  project text collate "C" not null,
  repository text collate "C" not null,
  address text collate "C" not null,
  forge_id text collate "C" not null,
  learned_at bigint not null,
  gone_at bigint,
  primary key (project, repository, address, forge_id)
);

-- What was kept by bare names: a start of the orchestrator keeps what it can prove, and drops the rest (adopt.ts).
update forge_delivery set project = 'name/' || project;
update forge_subject set project = 'name/' || project;
update forge_comment set project = 'name/' || project;
update forge_account set project = 'name/' || project;
update forge_cursor set project = 'name/' || project;
update forge_push set project = 'name/' || project;
update forge_history set project = 'name/' || project;
update forge_owed set project = 'name/' || project;
