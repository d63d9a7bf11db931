-- Whether the author of a comment was a maintainer when the forge last told of it. What is here already is known as such from
-- its next reading on, which is at the latest the one before a merge.
alter table forge_comment add column by_maintainer boolean not null default false;
