-- A write without a key stands for its memory too: no key that moves on takes it away. A memory of before that has no key
-- was written by nobody else.
alter table memory add column is_unkeyed boolean not null default false;
update memory m set is_unkeyed = true where not exists (select from memory_key k where k.memory_id = m.id);
alter table memory alter column is_unkeyed drop default;
