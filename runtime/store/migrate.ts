import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { MigrationError } from '../errors.ts'
import type { Queryable, Sql } from './sql.ts'

/** A folder of numbered `.sql` files. `owner` keeps the numbers of different folders apart. */
export interface MigrationFolder {
  readonly owner: string
  readonly folder: URL
}

export const runtimeMigrations: MigrationFolder = {
  owner: 'runtime',
  folder: new URL('./migrations/', import.meta.url),
}

interface Migration {
  readonly owner: string
  readonly name: string
  readonly text: string
  readonly checksum: string
}

interface Applied {
  readonly owner: string
  readonly name: string
  readonly checksum: string
}

const ledger = `create table if not exists migration (
  owner text not null, name text not null, checksum text not null, primary key (owner, name))`

/**
 * Brings the store to the newest schema, folder by folder, in one transaction; a second call does nothing.
 * Landed files are frozen: one that changed or vanished is a `MigrationError`, and so is a store newer than the code.
 */
export async function migrate(sql: Sql, folders: readonly MigrationFolder[] = [runtimeMigrations]): Promise<void> {
  const migrations = (await Promise.all(folders.map(read))).flat()
  await sql.exec(ledger)
  await sql.tx(async (tx) => {
    // Two processes may start at once: the second waits here and then finds the work done.
    await tx.exec('lock table migration in exclusive mode')
    const owners = folders.map((folder) => folder.owner)
    const { rows } = await tx.query<Applied>(
      'select owner, name, checksum from migration where owner = any($1::text[]) order by owner, name',
      [owners],
    )
    for (const migration of pending(migrations, rows)) await apply(tx, migration)
  })
}

async function read(source: MigrationFolder): Promise<Migration[]> {
  const names = (await readdir(source.folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, source.folder), 'utf8')
      return { owner: source.owner, name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

function pending(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const faults = applied.flatMap((row) => faultOf(row, migrations))
  if (faults.length > 0) throw new MigrationError(faults.join('; '))
  return migrations.filter((one) => !applied.some((row) => row.owner === one.owner && row.name === one.name))
}

function faultOf(row: Applied, migrations: readonly Migration[]): string[] {
  const file = migrations.find((one) => one.owner === row.owner && one.name === row.name)
  if (!file) return [`${row.owner}/${row.name} was applied and is not in this version`]
  return file.checksum === row.checksum ? [] : [`${row.owner}/${row.name} has changed since it was applied`]
}

async function apply(tx: Queryable, { owner, name, text, checksum }: Migration): Promise<void> {
  await tx.exec(text)
  await tx.query('insert into migration (owner, name, checksum) values ($1, $2, $3)', [owner, name, checksum])
}
