/** What only a server shows: one process takes a file's old memories out while another brings the new ones. */
import { expect, it } from 'vitest'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { ownDatabase } from '../../testing/own-database.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { memoryMigrations } from '../store/migrations.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'
import { ingest, jobEnded } from './testing/jobs.ts'

async function withTwo(use: (one: TestMemory, other: TestMemory) => Promise<void>): Promise<void> {
  const { url, drop } = await ownDatabase()
  const stores = [await openPgSql({ url }), await openPgSql({ url })] as const
  const opened: TestMemory[] = []
  try {
    await migrate(stores[0], memoryMigrations)
    for (const [place, sql] of stores.entries()) opened.push(await openTestMemory({ sql, owner: `process-${place}` }))
    await use(opened[0]!, opened[1]!)
  } finally {
    for (const memory of opened) await memory.close()
    for (const sql of stores) await sql.close()
    await drop()
  }
}

interface Named {
  readonly id: string
  readonly name: string
}

async function entityOf(memory: TestMemory, name: string): Promise<Named> {
  const { items } = (await (await memory.ask('GET', `/entities?q=${name}`)).json()) as { readonly items: Named[] }
  return items.find((one) => one.name === name)!
}

const trials = 20

describeRequiring('postgres', 'a file that is ingested again on a Postgres server', () => {
  it('leaves what people wrote on its entities and between them, each time (ENTITIES-11, EDGES-8)', () =>
    withTwo(async (one, other) => {
      const lost: object[] = []
      for (let trial = 0; trial < trials; trial += 1) {
        const [repo, names] = [`repo-${trial}`, [`SessionStore${trial}x`, `RedisCluster${trial}x`]]
        const lines = Array.from(
          { length: 10 + trial * 5 },
          (_, line) => `The ${names[0]} writes ${line} to ${names[1]}.`,
        )
        const bulk = async (by: TestMemory, content: string): Promise<void> => {
          const job = await ingest(by, {
            repo,
            reconcile_files: ['a.md'],
            items: [{ content, metadata: { file: 'a.md' } }],
          })
          await jobEnded(by, job.id)
        }
        await bulk(one, lines.join('\n'))
        const [from, to] = [await entityOf(one, names[0]!), await entityOf(one, names[1]!)]
        const patch = { metadata: { owner: 'ann' }, description: 'Where sessions live.' }
        expect((await one.ask('PATCH', `/entities/${from.id}`, patch)).status).toBe(200)
        const draft = {
          from: from.id,
          to: to.id,
          relation: 'owned_by',
          description: 'by contract',
          metadata: { a: '1' },
        }
        expect((await one.ask('POST', '/edges', draft)).status).toBe(201)
        await bulk(other, [...lines, 'One more line.'].join('\n'))
        const entity = (await (await one.ask('GET', `/entities/${from.id}`)).json()) as object
        const edges = (await (await one.ask('GET', `/edges?from=${from.id}&relation=owned_by`)).json()) as object
        const shown = { entity, edges }
        try {
          expect(shown).toMatchObject({ entity: patch, edges: { items: [draft] } })
        } catch {
          lost.push({ trial, shown })
        }
      }
      expect(lost).toEqual([])
    }))
})
