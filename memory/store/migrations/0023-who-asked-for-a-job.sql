-- Whose request it was, and its id: what the job deletes is in the log under them. Null: accepted before this migration.
alter table ingest_job add column requested_by text;
alter table ingest_job add column request_id text;
