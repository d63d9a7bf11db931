/** Negative controls: a runtime with a planted bug must break a law, or the laws prove nothing. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../runtime/store/migrate.ts'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { plan } from './crash-plan.ts'
import { live } from './crash-run.ts'
import { brokenLaws } from './laws.ts'

interface Mutant {
  readonly bug: string
  readonly law: RegExp
  /** What the store is made to run instead. */
  readonly mutate: (text: string) => string
}

const withoutRows = '$& where false'

const mutants: readonly Mutant[] = [
  {
    bug: 'writes no effects',
    law: /R6/,
    mutate: (text) =>
      text
        .replace('pending = r.pending', 'pending = null')
        .replace('updated_at, pending from', 'updated_at, null from'),
  },
  {
    bug: 'writes no inbox rows for other actors',
    law: /R9|R6/,
    mutate: (text) => text.replace(/insert into inbox \([^)]*\) select [^)]*\) as r\([^)]*\)/, withoutRows),
  },
  {
    bug: 'acknowledges events that it does not write',
    law: /R1|R2/,
    mutate: (text) => text.replace(/insert into event \([^)]*\) select [^)]*\) as r\([^)]*\)/, withoutRows),
  },
  {
    bug: 'does not check where the actor stands',
    law: /R\d/,
    mutate: (text) =>
      text.replace(/ and a\.seq = r\.previous_seq/, '').replace(/seq = r\.seq, version/, 'seq = r.seq + 1, version'),
  },
]

function mutated(sql: Sql, { mutate }: Mutant): Sql {
  return {
    ...sql,
    query: ((text: string, params?: readonly unknown[]) => sql.query(mutate(text), params)) as Queryable['query'],
  }
}

async function faultsOf(sql: Sql, runs: number): Promise<readonly string[]> {
  const found: string[] = []
  let unended: unknown
  const property = fc.asyncProperty(plan, async (one) => {
    try {
      const broken = brokenLaws(one, await live(sql, one))
      found.push(...broken)
      return broken.length === 0
    } catch (error) {
      // A life that came to no end says nothing about the laws: another one has to.
      unended = error
      return true
    }
  })
  await fc.check(property, { numRuns: runs, endOnFailure: true })
  if (found.length === 0 && unended !== undefined) throw unended
  return found
}

describe('a planted bug is found', () => {
  let sql: Sql
  beforeAll(async () => {
    sql = await openMemorySql()
    await migrate(sql)
  })
  afterAll(() => sql.close())

  it.each(mutants)('when the runtime $bug', { timeout: 120_000 }, async (mutant) => {
    expect((await faultsOf(mutated(sql, mutant), 200)).join('\n')).toMatch(mutant.law)
  })

  it('when a key may be in the journal twice', { timeout: 120_000 }, async () => {
    await sql.exec('alter table event drop constraint event_key')
    expect((await faultsOf(sql, 200)).join('\n')).toMatch(/R3/)
    await sql.exec('truncate event; alter table event add constraint event_key unique (actor, key)')
  })
})
