/** The process that `kill.system.test.ts` kills: delivers without end and prints each acknowledged key. */
import { createRuntime } from '../create-runtime.ts'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../logger.ts'
import { migrate } from '../store/migrate.ts'
import { openFolderSql } from '../store/pglite/pglite-folder.ts'
import { podDefinition, toyDefinition } from './toy-machine.ts'

const folder = process.argv[2]
const round = process.argv[3]
if (!folder || !round) throw new Error('usage: killed-process.ts FOLDER ROUND')
const sql = await openFolderSql(folder)
await migrate(sql)
const handler = { perform: async () => [] }
const runtime = createRuntime({
  sql,
  definitions: [toyDefinition, podDefinition],
  clock: systemClock,
  random: Math.random,
  logger: silentLogger,
  owner: 'only',
})
await runtime.start({ call: handler, callInOrder: handler, merge: handler })
for (let n = 0; ; n++) {
  const key = `${round}-${n}`
  await runtime.deliver({ to: `task:${n % 5}`, key, event: { type: 'noted', at: n, note: key } })
  process.stdout.write(`${key}\n`)
}
