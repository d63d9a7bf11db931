import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decide, describeRequiring } from '../../testing/requires.ts'
import { hasServerPrograms } from '../kit/postgres-server.ts'
import type { PostgresServer } from '../kit/postgres-server.ts'
import { differenceText, differences } from './compare.ts'
import type { Difference } from './compare.ts'
import { leftOut, measureCell, measureCells, startCountedServer } from './measure.ts'
import type { Cell } from './measure.ts'
import { clientCounts, readTable } from './table.ts'

/** 10,000 commits one by one took 50 s on a busy machine. */
const boundMs = 300_000
const planted = new URL('./testing/planted-cell.ts', import.meta.url)

function costs(): void {
  const table = readTable()
  let server: PostgresServer

  beforeAll(async () => {
    server = await startCountedServer()
  })
  afterAll(() => server?.stop())

  async function grownBy(cell: Omit<Cell, 'clients'>): Promise<Difference[]> {
    const counts = await measureCell(server, { ...cell, clients: 128, program: planted })
    return differences(table.cells, { 128: counts }, leftOut(table, server))
  }

  it(
    'is what the table holds, at 1, 16 and 128 clients',
    async () => {
      const left = leftOut(table, server)
      if (left.length > 0) console.warn(`not compared on PostgreSQL ${server.version}: ${left.join(', ')}`)
      const found = differences(table.cells, await measureCells(server, clientCounts), left)
      expect(found.map(differenceText)).toEqual([])
    },
    boundMs,
  )

  it(
    'names a statement more in each commit',
    async () => {
      const found = await grownBy({ options: { plant: 'statement' } })
      expect(found.map(({ count }) => count)).toEqual(expect.arrayContaining(['statements', 'roundTrips']))
      expect(found.map(differenceText).join('\n')).toMatch(/^statements at 128 clients: \d+ before, \d+ now, \+\d/m)
    },
    boundMs,
  )

  it(
    'names a row more in each transition, and its log',
    async () => {
      const found = await grownBy({ options: { plant: 'row' } })
      expect(found.map(({ count }) => count).filter((count) => count !== 'logBytes')).toEqual(['rowsWritten'])
    },
    boundMs,
  )

  it(
    'names events that are longer by a few letters',
    async () => {
      const found = await grownBy({ tag: 'counts-and-more', options: { plant: 'none' } })
      expect(found.map(({ count }) => count)).toEqual(expect.arrayContaining(['jsonBytes', 'sentBytes']))
      expect(found.map(({ count }) => count)).not.toContain('statements')
    },
    boundMs,
  )
}

const title = 'what 10,000 transitions cost'
// Its server is its own: another test's rows and log would count as well. DATABASE_URL may name one on another machine.
const demanded = decide('postgres', { STATEWRIGHT_REQUIRE: process.env['STATEWRIGHT_REQUIRE'] }) === 'fail'
if (hasServerPrograms() || demanded) describeRequiring('postgres', title, costs)
else describe.skip(`${title} (needs the programs of a PostgreSQL server)`, costs)
