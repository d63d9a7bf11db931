import { ColumnArray } from './columns.ts'
import { SessionTurns } from './session-sql-turns.ts'
import { toSqlError } from './sql-error.ts'
import type { Durability, Queryable, Result, Sql } from './sql.ts'
import { withHandle } from './transaction-handle.ts'

/** One database session that runs what it is given, one statement at a time. */
export interface Session {
  query(text: string, params: readonly unknown[]): Promise<Result<object>>
  exec(text: string): Promise<void>
  close(): Promise<void>
}

/** Makes a store of a single session: a transaction that runs keeps everyone else out until it ends. */
export function sessionSql(session: Session, durability: Durability): Sql {
  const turns = new SessionTurns()

  const inside: Queryable = {
    query: (text, params = []) => session.query(text, params.map(plainArray)).catch(rethrow) as Promise<Result<never>>,
    exec: (text) => session.exec(text).catch(rethrow),
  }

  async function transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    await inside.exec('begin')
    try {
      const result = await withHandle(inside, run)
      await inside.exec('commit')
      return result
    } catch (error) {
      await session.exec('rollback').catch(() => undefined)
      throw error
    }
  }

  return {
    durability,
    query: (text, params) => turns.take('statement', () => inside.query(text, params)) as Promise<Result<never>>,
    exec: (text) => turns.take('transaction', () => inside.exec(text)),
    tx: (run) => turns.take('transaction', () => transaction(run)),
    close: () => turns.take('end', () => session.close()),
  }
}

function plainArray(param: unknown): unknown {
  return param instanceof ColumnArray ? param.values : param
}

function rethrow(error: unknown): never {
  throw toSqlError(error)
}
