-- The forge's id of who pushed: another account may get a login that somebody gave up.
alter table forge_push add column by_account text;
