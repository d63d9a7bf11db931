-- Whether the forge's delivery of a comment's creation came, or its actor had the comment: one that was only read is no
-- secret to its actor, so its delivery may still come. Whatever is here already was heard, or is older than its actor.
alter table forge_comment add column heard boolean not null default true;
-- Of a review that was dismissed: JSON, who dismissed it (empty: nobody has said) and what it said before.
alter table forge_comment add column dismissal text;
