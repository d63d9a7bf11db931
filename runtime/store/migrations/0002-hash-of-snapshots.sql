-- Only the event that a snapshot was written with carries the hash of the state: the state is made text for snapshots
-- only, and a hash for every step cost more than the step.
alter table event alter column state_hash drop not null;

-- Postgres prunes a page at every access while less is free in it than the fillfactor leaves: at 50 once for each step.
-- Full pages are pruned when they must be, for many steps at a time; 95 of 100 updates stay in their page.
alter table actor reset (fillfactor);
