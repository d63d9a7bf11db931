-- Whose hands wrote and deleted a comment (decisions/0023). `edited_by` is empty where a comment was edited and nobody has
-- said by whom; `deleted_by` is null where nobody has said; `withdrawal` is JSON: the words with which its author
-- withdrew, and when, once other hands wrote over them.
alter table forge_comment add column deleted_by text;
alter table forge_comment add column withdrawal text;
-- Until now a comment that was first read after an edit was taken for its author's.
update forge_comment set edited_by = '' where edited_by is null and updated_at > created_at;
