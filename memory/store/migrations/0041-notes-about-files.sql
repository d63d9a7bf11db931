-- Notes name the file that they are about; what is shown beside a file is asked for with each query (memory/query/notes-about.ts).
create index memory_about on memory ((metadata->>'about')) where metadata ? 'about';

-- What makes two memories one when they are written one at a time (memory/memories/identity.ts).
create function pg_temp.identity_of(content text, metadata jsonb) returns bytea language sql as $$
  select sha256(string_agg(convert_to(octet_length(part) || ':' || part, 'UTF8'), ''::bytea order by place, key, is_value))
  from (
    select 'memory' as part, 0 as place, '' collate "C" as key, false as is_value
    union all select content, 1, '', false
    union all select key, 2, key, false from jsonb_each_text(metadata)
    union all select value, 2, key, true from jsonb_each_text(metadata)) parts
$$;

-- An agent's note of before may name a file as an ingest does, and would go with the file's next push. What was written one
-- at a time and without an idempotency key is about the file from now on, and is fed to the engine again as a note.
with named as (
  select id, content, metadata - 'file' || jsonb_build_object('about', coalesce(metadata->>'about', file)) as metadata
  from memory where is_unkeyed and not starts_with(file, '@') and identity = pg_temp.identity_of(content, metadata)
    and not exists (select from memory_key k where k.memory_id = memory.id)
), kept as materialized (
  -- Two notes of one text on two files may be one now: the other stays as it is.
  select distinct on (identity) id, metadata, identity
  from (select id, metadata, pg_temp.identity_of(content, metadata) as identity from named) n order by identity, id
)
update memory m set file = null, metadata = kept.metadata, identity = kept.identity,
  status = 'processing', attempts = 0, feed_at = 0
from kept where m.id = kept.id and not exists (select from memory same where same.identity = kept.identity);

drop function pg_temp.identity_of(text, jsonb);
