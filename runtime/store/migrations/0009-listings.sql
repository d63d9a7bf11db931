-- What lists find actors by, written with the step that changes it. The runtime can make all of it anew from snapshots
-- (`runtime/listings.ts`), so nothing else is kept here. `words` has the address and every text, `named` a line
-- `name=word` for each word of each text, both in lower case.
create table listing (
  address text primary key,
  seq bigint not null,
  version int not null,
  words text not null,
  named text not null,
  ended_at bigint
);
create index listing_live on listing (address) where ended_at is null;
create index listing_ended on listing (ended_at) where ended_at is not null;
