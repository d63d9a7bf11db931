-- What was last read of the checks of a merge request, and when it was asked: one forge fetch in 20 seconds for each,
-- whichever process is asked (document 2, scm_read). While `result` is null, who wrote the row is asking the forge.
create table ci_read (
  subject text primary key,
  asked_at bigint not null,
  result jsonb
);
create index ci_read_age on ci_read (asked_at);
