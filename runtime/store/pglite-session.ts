import type { PGlite } from '@electric-sql/pglite'
import { resultParsers } from './result-types.ts'
import type { Session } from './session-sql.ts'

/** A session on a PGlite that lives in this thread. */
export async function openPglite(dataDir: string | undefined): Promise<Session> {
  const { PGlite } = await import('@electric-sql/pglite')
  const parsers = { ...resultParsers }
  const db = await (dataDir === undefined ? PGlite.create({ parsers }) : PGlite.create(dataDir, { parsers }))
  return pgliteSession(db)
}

function pgliteSession(db: PGlite): Session {
  return {
    async query(text, params) {
      const result = await db.query<object>(text, [...params])
      await breath()
      return { rows: result.rows, rowCount: Math.max(result.affectedRows ?? 0, result.rows.length) }
    },
    async exec(text) {
      await db.exec(text)
    },
    close: () => db.close(),
  }
}

/** PGlite answers in microtasks only: a caller that loops over queries would never let a timer or socket run. */
function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
