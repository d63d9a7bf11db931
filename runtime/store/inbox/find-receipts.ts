import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'

interface KnownKey {
  readonly actor: ActorAddress
  readonly key: string
  readonly seq: number
  readonly answer: string | null
}

/** Which of these keys are in their actor's journal, and what was answered then (R3). */
export async function findReceipts(
  sql: Queryable,
  keys: readonly { readonly actor: ActorAddress; readonly key: string }[],
): Promise<readonly KnownKey[]> {
  const { rows } = await sql.query<KnownKey>(
    `select e.actor, e.key, e.seq, e.answer from event e
      join unnest($1::text[], $2::text[]) as r(actor, key) on e.actor = r.actor and e.key = r.key`,
    [keys.map((one) => one.actor), keys.map((one) => one.key)],
  )
  return rows
}
