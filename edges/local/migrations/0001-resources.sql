create table resource (
  kind text not null,
  namespace text not null,
  name text not null,
  uid text not null,
  generation bigint not null,
  spec jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (kind, namespace, name)
);
