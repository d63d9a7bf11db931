-- When a reading of its thread missed a word that grants, by our clock. Another one that misses it a minute later ends it
-- (MIRROR-12); one that lists it makes this null again.
alter table forge_comment add column missing_since bigint;
