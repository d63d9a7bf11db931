-- The code graph of each repository: the graph is a function of what its files contribute, so that is what is kept.

-- One full set of contributions. Readers see the one that code_graph names; others are parts of a staged snapshot, or
-- what a push that never ended left behind.
create table code_graph_generation (
  id bigint generated always as identity primary key,
  repo text not null,
  -- Of a snapshot that comes in parts (rulings 1.5).
  snapshot_id text,
  -- Once its final part came and readers see it: so that the same part, sent again, is known.
  shown_as text,
  final_part integer,
  created_at bigint not null,
  unique (repo, snapshot_id)
);

create table code_graph (
  repo text primary key,
  generation bigint not null references code_graph_generation,
  -- Grows with each push.
  version bigint not null,
  commit_sha text,
  pushed_at bigint not null
);

-- What one file contributes, in pieces of bounded size (`memory/graph/postgres/piece.ts`); '' is what came from no file.
create table code_graph_file (
  generation bigint not null references code_graph_generation on delete cascade,
  file text not null,
  -- The part of a staged snapshot that brought it; 0 otherwise.
  part integer not null,
  piece integer not null,
  -- Of the first piece only: the hash of the content that was indexed. Null: the file was never named with one.
  sha text,
  body text not null,
  primary key (generation, file, part, piece)
);

-- Of a staged snapshot: what can only be told to belong to a file when all parts are there, and which parts came.
create table code_graph_part (
  generation bigint not null references code_graph_generation on delete cascade,
  part integer not null,
  unsettled text not null,
  primary key (generation, part)
);
