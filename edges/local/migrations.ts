import type { MigrationFolder } from '../../runtime/store/migrate.ts'

export const localMigrations: MigrationFolder = { owner: 'local', folder: new URL('./migrations/', import.meta.url) }
