-- What lists show of actors and find them by, written with the step that changes it. The runtime can make all of it anew from
-- snapshots (`runtime/listings.ts`), so nothing else is kept here. `words` has every text and the address in lower case.
create table listing (
  address text primary key,
  seq bigint not null,
  version int not null,
  texts jsonb not null,
  words text not null,
  ended_at bigint
);
create index listing_ended on listing (ended_at) where ended_at is not null;
