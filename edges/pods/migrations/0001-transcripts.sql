-- What the agent of a pod said and did, as its wrapper handed it over at its stop. It is hostile text, for people with a right
-- of their own. `lines` is JSON: text of Postgres holds no NUL and no half of a pair. It goes when journals of its age go.
create table pod_transcript (
  task text not null,
  pod int not null,
  at bigint not null,
  truncated boolean not null,
  lines text not null,
  primary key (task, pod)
);
create index pod_transcript_age on pod_transcript (at);
