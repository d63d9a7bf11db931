-- A text as LightRAG has it. One for each distinct content: it refuses the same text twice, whatever its source.
-- One that no memory has any more is to be taken out there; its row goes when that is seen to be done.
create table lightrag_document (
  content_sha text primary key,
  -- The file name under which it is known there.
  source text not null unique,
  -- Its id there, once told; two texts that are one to LightRAG have the same.
  doc_id text,
  track_id text,
  -- `removing`: the order to delete it may have been taken. Nobody counts on it from then on.
  state text not null check (state in ('sending', 'accepted', 'stored', 'failed', 'removing')),
  fault text,
  changed_at bigint not null
);
create index lightrag_document_by_doc on lightrag_document (doc_id);

-- Records that refusals of duplicates leave there for ever.
create table lightrag_debris (
  doc_id text primary key
);
