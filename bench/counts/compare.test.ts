import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differenceText, differences, goalsOf } from './compare.ts'
import type { Counts } from './count-cell.ts'
import { documentOf } from './document.ts'
import { readTable } from './table.ts'

const counts: Counts = {
  statements: 627,
  roundTrips: 627,
  rowsWritten: 20_500,
  logBytes: 7_000_000,
  jsonBytes: 2_000_000,
  sentBytes: 5_000_000,
  heapBytes: 270_000_000,
}

function with16(changed: Partial<Counts>): Record<string, Counts> {
  return { 16: { ...counts, ...changed } }
}

describe('counts against the table', () => {
  it('lets a change of 2 % pass, up and down', () => {
    expect(differences(with16({}), with16({ rowsWritten: 20_910, logBytes: 6_860_000 }))).toEqual([])
  })
  it('names the cell, both counts and the percent of what grew', () => {
    const [found] = differences(with16({}), with16({ statements: 1254 }))
    expect(differenceText(found!)).toBe('statements at 16 clients: 627 before, 1254 now, +100.0 %; at most +2 %')
  })
  it('asks for a new table where a count fell', () => {
    const [found] = differences(with16({}), with16({ heapBytes: 200_000_000 }))
    expect(differenceText(found!)).toMatch(/-25\.9 %; write the table anew: npm run bench -- counts --write$/)
  })
  it('names a cell that the table lacks', () => {
    expect(differences({}, with16({}))).toHaveLength(7)
  })
  it('compares only what this server can be judged by', () => {
    expect(differences(with16({}), with16({ logBytes: 8_000_000 }), ['logBytes'])).toEqual([])
    expect(goalsOf(with16({}), with16({}), ['logBytes'])).toHaveLength(6)
  })
})

it('shows in BENCHMARKS.md what the table holds', () => {
  const document = readFileSync(new URL('../../BENCHMARKS.md', import.meta.url), 'utf8')
  expect(document).toContain(documentOf(readTable()).trim())
})
