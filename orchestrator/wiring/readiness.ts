import type { Readiness } from '../../http/operational/readiness.ts'
import type { Sql } from '../../runtime/store/sql.ts'

interface ReadinessDeps {
  readonly sql: Pick<Sql, 'lost' | 'probe'>
  readonly isListening: () => boolean
  /** What somebody should look at though all is served. */
  readonly degraded: () => Promise<readonly string[]>
}

/** A lost store is lost for the life of this process, which ends soon. */
export function orchestratorReadiness({ sql, isListening, degraded }: ReadinessDeps): () => Promise<Readiness> {
  let isLost = false
  void sql.lost?.then(() => (isLost = true))
  return async () => {
    if (isLost) return { ready: false, reasons: ['the embedded store failed'] }
    if (!isListening()) return { ready: false, reasons: ['starting'] }
    if (!(await takesWrites(sql))) return { ready: false, reasons: ['the store accepts no writes'] }
    return { ready: true, reasons: [], degraded: await degraded() }
  }
}

async function takesWrites({ probe }: Pick<Sql, 'probe'>): Promise<boolean> {
  return (
    probe === undefined ||
    probe().then(
      () => true,
      () => false,
    )
  )
}
