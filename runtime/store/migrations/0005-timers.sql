-- Each owner reads the timers of its own shards only, by time within a shard.
create index timer_shard_due on timer (shard, due_at);
drop index timer_due;
