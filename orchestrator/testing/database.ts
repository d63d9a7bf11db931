/** A PostgreSQL database of a test's own. Test code only. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programDir } from '../../cli/program.ts'
import { ownDatabase, type OwnDatabase } from '../../testing/own-database.ts'

/** On the server that DATABASE_URL names, else on one of its own; undefined: this machine has no PostgreSQL. */
export async function openDatabase(): Promise<OwnDatabase | undefined> {
  if ((process.env['DATABASE_URL'] ?? '') !== '') return ownDatabase()
  const script = (...parameters: readonly string[]): Promise<string> =>
    promisify(execFile)('bash', [join(programDir, '.ci', 'postgres.sh'), ...parameters]).then(({ stdout }) => stdout)
  const isThere = await script('find').then(
    () => true,
    () => false,
  )
  if (!isThere) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'database-'))
  const url = (await script('start', folder)).trim()
  return { url, drop: async () => void (await script('stop', folder)) }
}
