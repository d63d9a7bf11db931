-- The engine that was fed last, as it calls itself; null: none yet, or a version before this one did it (KNOWLEDGE-26).
alter table memory_instance add column fed_engine text;
