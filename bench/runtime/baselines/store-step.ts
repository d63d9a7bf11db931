/** The one statement of a step: guarded by revision and epoch, with journal row and outbox row. */
export const storeStep = `
with a as (update actor set rev = rev + 1, snapshot = $2 where id = $1 and rev = $3 and epoch = 1 returning id, rev),
  e as (insert into event (actor, seq, key, body) select id, rev, $4, $5 from a),
  o as (insert into outbox (actor, seq, effect) select id, rev, $6 from a)
select rev from a`
