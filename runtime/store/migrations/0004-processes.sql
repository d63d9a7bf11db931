-- The processes that share the work. `beat` is counted up while one lives: another that sees it stand still for long
-- enough by its own clock calls it dead and removes the row, so that no two clocks are ever compared. `incarnation` is
-- never given twice: who finds another one, or no row, was replaced or called dead.
create sequence process_incarnation;
create table process (
  owner text collate "C" primary key,
  incarnation bigint not null,
  beat bigint not null
) with (fillfactor = 50);

-- A shard is free when it has no owner, or one without a row in `process`.
alter table shard drop column expires_at;
