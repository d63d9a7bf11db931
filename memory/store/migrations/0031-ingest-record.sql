-- What the memories of a file were made from: the next ingest, from whatever machine, sends only what differs (decisions/0054).
create table ingest_record (
  repo text not null,
  file text not null,
  digest text not null,
  primary key (repo, file)
);
-- The commit of the last ingest of a repository that succeeded as a whole.
create table ingest_commit (
  repo text primary key,
  commit text not null,
  finished_at bigint not null
);
alter table ingest_item add column digest text;
alter table ingest_job add column commit text;

-- What `statewright ingest` sent before this migration says in its metadata, or in its key, what it was made from.
insert into ingest_record (repo, file, digest)
  select repo, file, min(digest) from (
    select m.repo, m.file, case
      when m.metadata->>'kind' in ('file', 'readme') then m.metadata->>'sha'
      when m.metadata->>'kind' = 'commit' then m.metadata->>'commit'
      else (select substring(k.key from '^issue:[0-9]+:([0-9a-f]{40})$') from memory_key k where k.memory_id = m.id
        order by k.key desc limit 1)
    end as digest
    from memory m where m.repo <> '' and m.file is not null and m.status <> 'failed') made
  group by repo, file
  having count(*) = count(digest) and min(digest) = max(digest) and length(min(digest)) between 1 and 128;
