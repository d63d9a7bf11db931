import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startLightRagModel } from '../../../standins/lightrag/model.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { engineContract, type EngineUnderTest } from '../contract/engine-contract.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { lightRagUnderTest } from './testing/engine.ts'

const run = promisify(execFile)
const script = new URL('../../../.ci/lightrag.sh', import.meta.url).pathname

async function open(version: string): Promise<EngineUnderTest> {
  const model = await startLightRagModel()
  const folder = await mkdtemp(join(tmpdir(), 'lightrag-'))
  const { stdout } = await run(script, [version, 'start', folder, model.url])
  const sql = await openMemoryStore()
  return lightRagUnderTest(sql, stdout.trim(), async () => {
    await run(script, [version, 'stop', folder])
    await model.close()
    await sql.close()
  })
}

const versions = (process.env['LIGHTRAG_VERSIONS'] ?? '1.5.7').split(',')

for (const version of versions) {
  describeRequiring('lightrag', `LightRAG ${version}`, () => engineContract(() => open(version)))
}
