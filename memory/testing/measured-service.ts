/**
 * A memory service over a store in its own thread, in a process of its own, which measures its serving thread: between
 * two messages of the parent, the CPU of the thread's longest turn and of the whole process. CPU of its own and not
 * time: what else runs on the machine does not count.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../runtime/store/migrate.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'
import { PostgresGraph } from '../graph/postgres/store.ts'
import { memoryMigrations } from '../store/migrations.ts'
import { openTestMemory } from './service.ts'

export interface Measured {
  readonly longestTurnMs: number
  readonly jobMs: number
}

const own = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
const all = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

let [last, longest, before] = [0, 0, 0]

/** The clock's tick comes once in every turn that lasts. */
function tick(): void {
  const now = own()
  longest = Math.max(longest, now - last)
  last = now
}

const folder = await mkdtemp(join(tmpdir(), 'memory-turns-'))
const sql = await openFolderSql(join(folder, 'store'), ['vector'])
await migrate(sql, memoryMigrations)
const memory = await openTestMemory({ sql, graph: (store) => new PostgresGraph(store, { isOnlyWriter: true }) })
const ticks = setInterval(tick, 1)

process.on('message', (word: 'begin' | 'end' | 'close') => {
  if (word === 'begin') {
    ;[last, longest, before] = [own(), 0, all()]
    process.send?.('begun')
  } else if (word === 'end') {
    tick()
    process.send?.({ longestTurnMs: longest, jobMs: all() - before } satisfies Measured)
  } else void close()
})
process.send?.({ url: memory.url })

async function close(): Promise<void> {
  clearInterval(ticks)
  await memory.close()
  await sql.close()
  await rm(folder, { recursive: true })
  process.disconnect()
}
