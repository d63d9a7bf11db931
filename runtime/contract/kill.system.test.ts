import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openFolderSql } from '../store/pglite/pglite-folder.ts'

const program = fileURLToPath(new URL('./killed-process.ts', import.meta.url))
const rounds = 2
const acknowledgedBeforeKill = 60

/** Runs the program until it has acknowledged enough, kills it, and returns every key it printed. */
async function killedRun(folder: string, round: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, folder, `r${round}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
    if (printed.split('\n').length > acknowledgedBeforeKill) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return printed.split('\n').slice(0, -1)
}

describe('the embedded store', () => {
  it(
    'has every acknowledged event, once, after its process was killed (R1, R3) (DEPLOYMENT-6)',
    { timeout: 120_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'statewright-kill-'))
      const acknowledged: string[] = []
      for (let round = 0; round < rounds; round++) acknowledged.push(...(await killedRun(join(folder, 'db'), round)))
      const sql = await openFolderSql(join(folder, 'db'))
      const { rows } = await sql.query<{ key: string }>('select key from event')
      await sql.close()
      await rm(folder, { recursive: true })
      const stored = rows.map((row) => row.key)
      expect(acknowledged.length).toBeGreaterThan(rounds * (acknowledgedBeforeKill - 1))
      expect(acknowledged.filter((key) => !stored.includes(key))).toEqual([])
      expect(new Set(stored).size).toBe(stored.length)
    },
  )
})
