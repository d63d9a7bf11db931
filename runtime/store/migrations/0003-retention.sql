-- How far an actor's journal was compacted: up to this event only the keys are left, and of a final actor not even those.
create table compaction (
  actor text collate "C" primary key,
  seq bigint not null,
  at bigint not null
);
