import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openMemorySql } from './pglite-memory.ts'
import { overlapContract } from '../contract/overlap-contract.ts'
import { sqlContract } from '../contract/sql-contract.ts'

sqlContract('PGlite in memory', openMemorySql)
// Without files nothing checkpoints, so that no number of rows makes it.
overlapContract('PGlite in memory', openMemorySql, 1_000)

it('leaves no timer behind that keeps its process alive', async () => {
  const here = fileURLToPath(new URL('pglite-memory.ts', import.meta.url))
  const script = `import { openMemorySql } from ${JSON.stringify(here)}
    await (await openMemorySql()).query('select 1', [])
    console.log(JSON.stringify(process.getActiveResourcesInfo()))
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  expect(JSON.parse(stdout)).not.toContain('Timeout')
})
