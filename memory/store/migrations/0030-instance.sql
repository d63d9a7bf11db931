-- Who this database is, among those that fill the same graph database (KNOWLEDGE-11).
create table memory_instance (
  only_one boolean primary key default true check (only_one),
  id uuid not null default gen_random_uuid()
);
