import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contractRows } from './contract-rows.ts'

const root = join(import.meta.dirname, '..', '..')

test.each(contractRows.map(({ row, file, title }) => [row, file, title] as const))(
  '%s is held by a test',
  (_row, file, title) => {
    const path = join(root, file)
    expect(existsSync(path), file).toBe(true)
    const source = readFileSync(path, 'utf8')
    const quoted = [`'${title}'`, `"${title}"`]
    expect(
      quoted.some((text) => source.includes(text)),
      `${file} has no test "${title}"`,
    ).toBe(true)
  },
)

test('no row is named twice', () => {
  const rows = contractRows.map(({ row }) => row)
  expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([])
})
