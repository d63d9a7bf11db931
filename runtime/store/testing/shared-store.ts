/**
 * Embedded stores that the test files of a process use one after another: to open one and migrate it takes a second of a
 * processor, to empty it 30 ms. A file that keeps one open for its process (`edges/forge/testing`) holds it for the next ones
 * too; where modules load anew, the raw PGlite outlives them. What is over it, each taker gets anew. A test of opening, closing or migrating opens a store of its own (`openMemorySql`).
 */
import { migrate, runtimeMigrations, type MigrationFolder } from '../migrate.ts'
import { createPglite, pgliteSession, type StoreExtension } from '../pglite/pglite-session.ts'
import { sessionSql, type Session } from '../session-sql.ts'
import type { Sql } from '../sql.ts'
import { pristineStore, type PristineStore } from './pristine-store.ts'

interface SharedStore {
  /** Its migrations and extensions. */
  readonly key: string
  readonly pristine: PristineStore
  taken: Taken | undefined
}

/** Who took it; each time another object. */
interface Taken {
  readonly file: object
}

/** This module's evaluation: what an earlier one took, a file that has ended left open. */
const thisFile = {}

const stores = ((globalThis as { sharedStores?: SharedStore[] }).sharedStores ??= [])

/** A migrated store that holds nothing else. `close` gives it back; who closed it, or whose file has ended, gets nothing more. */
export async function openSharedSql(
  migrations: readonly MigrationFolder[] = [runtimeMigrations],
  extensions: readonly StoreExtension[] = [],
): Promise<Sql> {
  const key = [...migrations.map(({ owner, folder }) => `${owner} ${folder.href}`), ...extensions].join('\n')
  for (const store of stores) if (store.taken?.file !== thisFile) store.taken = undefined
  for (let free = freeStore(key); free !== undefined; free = freeStore(key)) {
    const taken = take(free)
    if (await free.pristine.restore()) return sqlOver(free, taken)
    stores.splice(stores.indexOf(free), 1)
  }
  const store: SharedStore = { key, pristine: await openPristine(migrations, extensions), taken: undefined }
  stores.push(store)
  return sqlOver(store, take(store))
}

function freeStore(key: string): SharedStore | undefined {
  return stores.find((store) => store.key === key && store.taken === undefined)
}

function take(store: SharedStore): Taken {
  return (store.taken = { file: thisFile })
}

async function openPristine(
  migrations: readonly MigrationFolder[],
  extensions: readonly StoreExtension[],
): Promise<PristineStore> {
  const db = await createPglite(undefined, extensions)
  await migrate(sessionSql(await pgliteSession(db), 'none'), migrations)
  return pristineStore(db)
}

async function sqlOver(store: SharedStore, taken: Taken): Promise<Sql> {
  const session = await pgliteSession(store.pristine.db)
  async function asTaker<T>(run: () => Promise<T>): Promise<T> {
    if (store.taken !== taken) throw new Error('the store was closed, or the test file that opened it has ended')
    return run()
  }
  const guarded: Session = {
    query: (text, params) => asTaker(() => session.query(text, params)),
    exec: (text) => asTaker(() => session.exec(text)),
    close: () => asTaker(async () => void (store.taken = undefined)),
  }
  return sessionSql(guarded, 'none')
}
