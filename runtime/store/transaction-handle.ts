/**
 * What a transaction's caller holds, on every store alike. A handle ends with its transaction: on a single session a late
 * statement would run within the transaction of somebody else, on a pool on a connection that another one has by now
 * (STORE-FACT-4). A failed statement fails its transaction, though its caller goes on: Postgres answers the commit of one
 * with a rollback and no error (STORE-FACT-5).
 */
import { SqlError } from './sql-error.ts'
import type { Queryable } from './sql.ts'

const noTransaction = '25P01'
const failedTransaction = '25P02'

/** To be followed by a commit: rejects, as `run` does, where nothing may be committed. `inner` takes the statements in their order. */
export async function withHandle<T>(inner: Queryable, run: (tx: Queryable) => Promise<T>): Promise<T> {
  const underWay = new Set<Promise<unknown>>()
  let failure: unknown
  let hasEnded = false

  function refusal(): SqlError | undefined {
    if (hasEnded) return new SqlError('the transaction of this handle has ended', { code: noTransaction })
    if (failure === undefined) return undefined
    const message = 'an earlier statement of this transaction failed'
    return new SqlError(message, { code: failedTransaction, cause: failure })
  }

  async function kept<R>(ask: () => Promise<R>): Promise<R> {
    const refused = refusal()
    if (refused) throw refused
    const asked = ask()
    underWay.add(asked)
    try {
      return await asked
    } catch (error) {
      failure ??= error
      throw error
    } finally {
      underWay.delete(asked)
    }
  }

  const tx: Queryable = {
    query: (text, params) => kept(() => inner.query(text, params)),
    exec: (text) => kept(() => inner.exec(text)),
  }
  try {
    const result = await run(tx)
    // Statements that their caller did not wait for stand before the commit too.
    while (underWay.size > 0) await Promise.allSettled(underWay)
    if (failure !== undefined) throw failure
    return result
  } finally {
    hasEnded = true
  }
}
