import { openMemoryStore } from '../../testing.ts'
import { graphContract } from '../contract/contract.ts'
import { PostgresGraph } from './store.ts'

graphContract('PGlite', async () => {
  const sql = await openMemoryStore()
  return { store: new PostgresGraph(sql), close: () => sql.close() }
})
