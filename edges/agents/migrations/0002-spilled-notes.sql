-- The words of a Task's oldest notes, once all of them together are too many for its row (rulings 3.19). `place`: which note
-- of the journal, counted from 0; the Task keeps what else is known of it. `body` is JSON: text of Postgres holds no NUL and no
-- half of a pair.
create table spilled_note (
  task text not null,
  place int not null,
  body text not null,
  primary key (task, place)
);
