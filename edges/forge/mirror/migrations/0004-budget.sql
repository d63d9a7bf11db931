-- The request budget of one token, for all processes. `account` is a hash; times are the clocks of those who asked last.
create table forge_budget (
  account text collate "C" primary key,
  tokens double precision not null,
  filled_at bigint not null,
  closed_at bigint not null,
  closed_until bigint not null,
  closed_by text not null check (closed_by in ('primary', 'secondary'))
);
