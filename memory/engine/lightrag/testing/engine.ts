/** A LightRAG engine under test, over whatever server answers at `url`. */
import { silentLogger } from '../../../../runtime/logger.ts'
import { sleep, systemClock } from '../../../../runtime/clock.ts'
import type { Sql } from '../../../../runtime/store/sql.ts'
import type { EngineUnderTest } from '../../contract/engine-contract.ts'
import { createLightRagEngine } from '../engine.ts'

/** A deletion may wait for a pipeline that works, on a machine that is busy. */
const settledWithinMs = 60_000

export function lightRagUnderTest(sql: Sql, url: string, close: () => Promise<void>): EngineUnderTest {
  const engine = createLightRagEngine({
    random: Math.random,
    url,
    apiKey: 'test-key',
    sql,
    clock: systemClock,
    fetch,
    logger: silentLogger,
    sweepEveryMs: 100,
  })
  engine.start()
  return {
    engine,
    sql,
    async settle() {
      const until = systemClock.elapsed() + settledWithinMs
      for (;;) {
        if ((await engine.figures()).removalsQueued === 0) return
        if (systemClock.elapsed() > until) throw new Error('removals are queued still')
        await sleep(systemClock, 100)
      }
    },
    async close() {
      await engine.stop()
      await close()
    },
  }
}
