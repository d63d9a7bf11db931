-- A text as LightRAG has it. One for each distinct content: it refuses the same text twice, whatever its source.
create table lightrag_document (
  content_sha text primary key,
  -- The name under which it was sent: unique over all time, no slash.
  source text not null unique,
  -- Its own id, once it told; two texts that it holds for one have the same.
  doc_id text,
  track_id text,
  state text not null check (state in ('sending', 'accepted', 'stored', 'failed')),
  fault text,
  entities integer,
  changed_at bigint not null
);
create index lightrag_document_by_doc on lightrag_document (doc_id);
create index lightrag_document_waiting on lightrag_document (changed_at) where state in ('sending', 'accepted');

-- What has to leave: texts that no memory has any more, and the records that its refusals leave behind.
create table lightrag_removal (
  doc_id text primary key,
  asked_at bigint not null,
  attempts integer not null default 0,
  fault text
);
