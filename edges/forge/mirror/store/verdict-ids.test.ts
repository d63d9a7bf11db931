import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runtimeMigrations } from '../../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../../runtime/store/testing/shared-store.ts'
import { forgeMigrations } from '../../forge-edge.ts'

const migration = readFileSync(new URL('../migrations/0010-verdicts-by-thread.sql', import.meta.url), 'utf8')

test('a verdict that an older version kept gets the number of its merge request, once; nothing else changes', async () => {
  const sql = await openSharedSql([runtimeMigrations, forgeMigrations])
  try {
    const ids = ['review-approved-1002-1700', 'review-changesRequested-7-1800', 'review-17', 'inline-14']
    for (const id of ids)
      await sql.query(
        `insert into forge_comment
          (project, repository, on_sort, number, id, sort, author, document, body_hash, created_at, updated_at, told)
        values ('p', 'r', 'mr', 3, $1, $2, 'maria', $3, '', 0, 0, true)`,
        [id, id.startsWith('inline') ? 'inline' : 'review', JSON.stringify({ id, body: `"id":"${id}"` })],
      )
    for (let run = 0; run < 2; run++) await sql.query(migration)
    const { rows: kept } = await sql.query<{ id: string; document: string }>(
      'select id, document from forge_comment order by id',
    )
    const renamed = ['inline-14', 'review-17', 'review-approved-3-1002-1700', 'review-changesRequested-3-7-1800']
    expect(kept.map(({ id }) => id)).toEqual(renamed)
    expect(kept.map(({ document }) => (JSON.parse(document) as { readonly id: string }).id)).toEqual(renamed)
    expect(kept.map(({ document }) => (JSON.parse(document) as { readonly body: string }).body).toSorted()).toEqual(
      ids.map((id) => `"id":"${id}"`).toSorted(),
    )
  } finally {
    await sql.close()
  }
})
