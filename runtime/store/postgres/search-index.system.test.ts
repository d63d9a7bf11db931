import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { silentLogger, type Logger } from '../../logger.ts'
import { findListed } from '../actors/list-actors.ts'
import { migrate } from '../migrate.ts'
import type { Sql } from '../sql.ts'
import { openMemorySql } from '../pglite/pglite-memory.ts'
import { openPgSql } from './pg-sql.ts'
import { indexSearch } from './search-index.ts'

const many = `insert into listing (address, seq, version, words, named)
  select 'task:a' || n, 1, 1, 'task:a' || n || ' parse durations ' || md5(n::text), '' from generate_series(1, 20000) n;
  analyze listing`

const rare = `words like '%cfcd208495d5%'`

async function scannedRows(sql: Sql, found = rare): Promise<string> {
  const { rows } = await sql.query<Record<string, string>>(
    `explain select address from listing where address >= 'task:' and address < 'task;' and ${found}`,
    [],
  )
  return rows.flatMap((row) => Object.values(row)).join('\n')
}

/** What is warned of. */
function warnings(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = []
  return {
    lines,
    logger: { ...silentLogger, warn: (fields, message) => void lines.push(JSON.stringify(fields) + message) },
  }
}

it('a store without trigrams has no index for searches, finds what it found, and one line says what is slower', async () => {
  const sql = await openMemorySql()
  await migrate(sql)
  const { logger, lines } = warnings()
  expect(await indexSearch(sql, logger)).toBe(false)
  expect(lines).toEqual([
    expect.stringMatching(/pg_trgm.*search of the inspector reads each actor.*docs\/operating\.md/),
  ])
  await sql.close()
})

describeRequiring('postgres', 'a search on a server', () => {
  const address = process.env['DATABASE_URL'] ?? ''

  async function withDatabase(use: (url: URL, sql: Sql) => Promise<void>): Promise<void> {
    const admin = await openPgSql({ url: address })
    const url = new URL(address)
    const name = `search_${randomUUID().replaceAll('-', '')}`
    await admin.exec(`create database ${name}`)
    url.pathname = `/${name}`
    const sql = await openPgSql({ url: url.href })
    try {
      await migrate(sql)
      await sql.exec(many)
      await use(url, sql)
    } finally {
      await sql.close()
      await admin.exec(`drop database ${name} with (force)`)
      await admin.close()
    }
  }

  it('reads few rows of many where the server has trigrams, whoever starts first', () =>
    withDatabase(async (_url, sql) => {
      expect(await scannedRows(sql)).not.toContain('listing_search')
      expect(await Promise.all([indexSearch(sql), indexSearch(sql)])).toContain(true)
      const { logger, lines } = warnings()
      expect([await indexSearch(sql, logger), lines]).toEqual([true, []])
      const commit = `(words like '%cfcd208495d5%' or named like e'%\\ncommit=cfcd208495d5%')`
      for (const found of [rare, commit, `words like '%durations%' and ${rare} and words like '%a1%'`])
        expect(await scannedRows(sql, found)).toContain('listing_search')
      const query = { text: 'a2 C81E728D9D4C PARSE', limit: 9, isListed: true }
      expect((await findListed(sql, 'task', query)).found).toMatchObject([{ address: 'task:a2' }])
    }))

  it('goes on without the index where the role may not bring it', () =>
    withDatabase(async (url, sql) => {
      const role = `r${randomUUID().replaceAll('-', '')}`
      await sql.exec(
        `create role ${role} login password '${role}'; grant select, insert, update, delete on all tables in schema public to ${role}`,
      )
      const asked = new URL(url)
      asked.username = role
      asked.password = role
      const weak = await openPgSql({ url: asked.href })
      try {
        const { logger, lines } = warnings()
        expect(await indexSearch(weak, logger)).toBe(false)
        expect(lines).toEqual([expect.stringMatching(/permission denied.*listing_search/)])
        const query = { text: 'c81e728d9d4c', limit: 9, isListed: true }
        expect((await findListed(weak, 'task', query)).found).toMatchObject([{ address: 'task:a2' }])
      } finally {
        await weak.close()
        await sql.exec(`drop owned by ${role}; drop role ${role}`)
      }
    }))
})
