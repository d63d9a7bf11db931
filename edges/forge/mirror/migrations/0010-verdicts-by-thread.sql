-- GitLab gives a verdict no id. Ours was of its author and moment alone, so of two merge requests that one person approved in
-- the same millisecond only one was kept. The merge request's number is in it now.
update forge_comment
set
  id = regexp_replace(id, '^review-(approved|changesRequested)-', 'review-\1-' || number || '-'),
  document = replace(
    document,
    '"id":"' || id || '"',
    '"id":"' || regexp_replace(id, '^review-(approved|changesRequested)-', 'review-\1-' || number || '-') || '"'
  )
where sort = 'review' and id ~ '^review-(approved|changesRequested)-[^-]+-[0-9]+$';
