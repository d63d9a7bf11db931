import { foldLogin } from '../../../../machines/rules/logins.ts'
import type { Queryable } from '../../../../runtime/store/sql.ts'
import type { ForgeAccount } from '../../port.ts'

/** Binds the numeric id at first sight; a later account of the same login changes nothing (PEOPLE-3). */
export async function bindAccount(sql: Queryable, project: string, account: ForgeAccount, at: number): Promise<void> {
  await sql.query(
    'insert into forge_account (project, login, account_id, bound_at) values ($1, $2, $3, $4) on conflict (project, login) do nothing',
    [project, foldLogin(account.login), account.id, at],
  )
}

/** Bound ids by folded login. */
export async function boundAccounts(sql: Queryable, project: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql.query<{ login: string; accountId: string }>(
    'select login, account_id as "accountId" from forge_account where project = $1',
    [project],
  )
  return new Map(rows.map((row) => [row.login, row.accountId]))
}
