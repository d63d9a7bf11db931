import { runtimeMigrations, type MigrationFolder } from '../../runtime/store/migrate.ts'

/** Every table of the memory service, those of the runtime that works off its ingest jobs first. */
export const memoryMigrations: readonly MigrationFolder[] = [
  runtimeMigrations,
  { owner: 'memory', folder: new URL('./migrations/', import.meta.url) },
]
