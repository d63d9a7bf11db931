import type { Queryable, Sql } from '../store/sql.ts'
import { SqlError } from '../store/sql-error.ts'

/** A store whose connection breaks at chosen statements: before they run, or after they ran and before the answer. */
export interface FaultySql extends Sql {
  /** The texts that were sent so far; of a transaction its name alone. */
  statements(): readonly string[]
  /** Breaks at the nth statement from now on, once. */
  breakAt(nth: number, moment: 'before' | 'after'): void
  /** Breaks all statements until told otherwise. */
  breakAll(isBroken: boolean): void
  /** Refuses every statement that writes this text, as a store refuses data that it cannot hold. */
  refuse(text: string): void
}

export function faultySql(sql: Sql): FaultySql {
  const statements: string[] = []
  let fault: { readonly at: number; readonly moment: 'before' | 'after' } | undefined
  let isBroken = false
  let refused: string | undefined

  const refusal = new SqlError('this text cannot be held', { code: '22021' })
  function isRefused(params: readonly unknown[] | undefined): boolean {
    return refused !== undefined && JSON.stringify(params ?? []).includes(refused)
  }

  async function guarded<T>(text: string, run: () => Promise<T>): Promise<T> {
    const count = statements.push(text)
    const moment = fault?.at === count ? fault.moment : undefined
    if (moment === 'before' || isBroken) throw new SqlError('connection lost', { code: 'unreachable' })
    const result = await run()
    if (moment === 'after') throw new SqlError('connection lost', { code: 'unreachable' })
    return result
  }

  return {
    durability: sql.durability,
    query: (text, params) =>
      guarded(text, () => (isRefused(params) ? Promise.reject(refusal) : sql.query(text, params))) as ReturnType<
        Queryable['query']
      > as never,
    exec: (text) => guarded(text, () => sql.exec(text)),
    tx: (run) => guarded('transaction', () => sql.tx(run)),
    close: () => sql.close(),
    statements: () => statements,
    breakAt: (nth, moment) => void (fault = { at: statements.length + nth, moment }),
    breakAll: (broken) => void (isBroken = broken),
    refuse: (text) => void (refused = text),
  }
}

interface HeldCommits extends Sql {
  /** The next commit of steps is kept from the store until it is let go. */
  hold(): void
  /** Resolves when there is one. */
  isHeld(): Promise<void>
  letGo(): void
}

/** A network that a commit takes its time in. */
export function heldCommits(sql: Sql): HeldCommits {
  let arrived = Promise.withResolvers<void>()
  let gate: PromiseWithResolvers<void> | undefined
  return {
    ...sql,
    query: (async (text: string, params?: readonly unknown[]) => {
      if (gate && isCommit(text)) {
        arrived.resolve()
        await gate.promise
      }
      return sql.query(text, params)
    }) as Queryable['query'],
    hold() {
      arrived = Promise.withResolvers<void>()
      gate = Promise.withResolvers<void>()
    },
    isHeld: () => arrived.promise,
    letGo() {
      gate?.resolve()
      gate = undefined
    },
  }
}

export interface DeafSql extends Sql {
  /** The next so many commits happen, and their answers are lost. */
  loseAnswers(count: number): void
  /** The next so many commits are not answered; the first of them happens when it is let. */
  holdBack(count: number): void
  comeToPass(): Promise<unknown>
  /** No reading of effects is answered. */
  keepUnread(isUnread: boolean): void
  unread(): number
  /** Readings of effects since commits were held back. */
  readings(): number
}

/** A store that is heard badly: commits and readings of effects whose answers do not come. */
export function deafSql(sql: Sql): DeafSql {
  let [toLose, toHold, unread, readings] = [0, 0, 0, 0]
  let isUnread = false
  let late: (() => Promise<unknown>) | undefined
  const lost = new SqlError('connection lost', { code: 'unreachable' })
  const query = async (text: string, params?: readonly unknown[]): Promise<unknown> => {
    if (isReadingOfEffects(text)) {
      if (isUnread) throw (unread++, lost)
      readings++
    }
    if (!isCommit(text)) return sql.query(text, params)
    if (toHold > 0) {
      toHold--
      late ??= () => sql.query(text, params)
      throw lost
    }
    const result = await sql.query(text, params)
    if (toLose > 0) throw (toLose--, lost)
    return result
  }
  return {
    ...sql,
    query: query as Queryable['query'],
    loseAnswers: (count) => void (toLose = count),
    holdBack: (count) => void ([toHold, readings] = [count, 0]),
    comeToPass: () => late!(),
    keepUnread: (kept) => void (isUnread = kept),
    unread: () => unread,
    readings: () => readings,
  }
}

function isReadingOfEffects(text: string): boolean {
  return text.includes('e.not_before <= $7')
}

/** Of steps: the one statement that writes them. */
export function isCommit(text: string): boolean {
  return text.startsWith('with x_leases')
}
