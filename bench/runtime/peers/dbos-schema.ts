/** Makes DBOS's tables, once; the cells work on copies. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { launchDbos } from './dbos.ts'

const { store } = JSON.parse(process.argv[2] ?? '') as { readonly store: string }
await launchDbos({ store, tag: 'schema' })
await DBOS.shutdown()
console.log('{}')
process.exit(0)
