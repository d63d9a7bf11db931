-- The files and changes that came since a moment, and how many there are: asked for with each query (memory/query/repo-corpus.ts).
create index memory_of_file_by_age on memory (updated_at) where file is not null;
