/** What a real server's settings promise of an acknowledged commit (R1). */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { openPgSql } from './pg-sql.ts'
import type { Durability } from '../sql.ts'

const script = fileURLToPath(new URL('../../../.ci/postgres.sh', import.meta.url))
const execute = promisify(execFile)

/** A server of its own: whoever shares the tests' server must not lose its syncs. */
async function durabilityOn(settings: string): Promise<Durability> {
  const folder = await mkdtemp(join(tmpdir(), 'durability-postgres-'))
  try {
    const env = { ...process.env, POSTGRES_OPTIONS: settings }
    const { stdout } = await execute(script, ['start', folder], { env })
    return await durabilityAt(stdout.trim())
  } finally {
    await execute(script, ['stop', folder]).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  }
}

async function durabilityAt(address: string, settings = ''): Promise<Durability> {
  const url = new URL(address)
  url.searchParams.set('options', settings)
  const sql = await openPgSql({ url: url.href })
  await sql.close()
  return sql.durability
}

describeRequiring('postgres', 'a store on a server', () => {
  const tests = process.env['DATABASE_URL'] ?? ''

  it.each(['on', 'local', 'remote_write'])(
    'outlives the loss of power where its commits wait for the disk: synchronous_commit=%s',
    async (value) => {
      expect(await durabilityAt(tests, `-c synchronous_commit=${value}`)).toBe('power-loss')
    },
  )

  it('outlives the end of a process only, where its own connections ask for commits that do not wait', async () => {
    expect(await durabilityAt(tests, '-c synchronous_commit=off')).toBe('process-death')
  })

  it.each(['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'])(
    'outlives the end of a process only, where the server runs with %s',
    async (setting) => {
      expect(await durabilityOn(`-c ${setting}`)).toBe('process-death')
    },
  )
})
