import { DBOS } from '@dbos-inc/dbos-sdk'
import type { CellSpec } from '../../kit/measure/cell.ts'

/** DBOS with its defaults, and a pool that is not what limits it at a hundred workflows at a time. */
const poolSize = 32

export async function launchDbos(spec: Pick<CellSpec, 'store' | 'tag'>): Promise<void> {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: spec.store,
    systemDatabasePoolSize: poolSize,
    logLevel: 'error',
    runAdminServer: false,
    executorID: spec.tag,
    applicationVersion: 'v1',
  })
  await DBOS.launch()
}
