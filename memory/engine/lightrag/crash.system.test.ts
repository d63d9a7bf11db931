import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { modelMarks, startLightRagModel } from '../../../standins/lightrag/model.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { aMemory } from '../contract/engine-contract.ts'
import { createLightRagEngine } from './engine.ts'

const run = promisify(execFile)
const script = new URL('../../../.ci/lightrag.sh', import.meta.url).pathname
const versions = (process.env['LIGHTRAG_VERSIONS'] ?? '1.5.7').split(',')

for (const version of versions) {
  describeRequiring('lightrag', `a LightRAG ${version} that is killed in its work`, () => {
    it('is woken when it is back, and every text is stored once', async () => {
      const model = await startLightRagModel()
      const folder = await mkdtemp(join(tmpdir(), 'lightrag-'))
      const { stdout } = await run(script, [version, 'start', folder, model.url])
      const url = stdout.trim()
      const sql = await openMemoryStore()
      const engine = createLightRagEngine({
        random: Math.random,
        url,
        apiKey: 'test-key',
        sql,
        clock: systemClock,
        fetch,
        logger: silentLogger,
      })
      try {
        const memories = ['One', 'Two', 'Three'].map((name) => aMemory(`The Store${name} waits. ${modelMarks.hold}`))
        await engine.upsert(memories, AbortSignal.timeout(5_000))
        await run(script, [version, 'kill', folder])
        model.release()
        await run(script, [version, 'start', folder, model.url], {
          env: { ...process.env, LIGHTRAG_PORT: new URL(url).port },
        })
        const outcomes = await engine.upsert(memories, AbortSignal.timeout(90_000))
        expect(outcomes).toEqual(memories.map(({ id }) => ({ id, status: 'stored' })))
        const { chunks } = await engine.retrieve({ mode: 'naive', text: 'The Store waits', topK: 10 })
        expect(chunks.map((chunk) => chunk.memoryId).toSorted()).toEqual(memories.map((memory) => memory.id).toSorted())
      } finally {
        await run(script, [version, 'stop', folder])
        await model.close()
        await sql.close()
      }
    }, 240_000)
  })
}
