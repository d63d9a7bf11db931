/** Lists that name, for each row of a contract, the test that holds it: a row without its test fails. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface HeldRow {
  readonly row: string
  /** Below the root of the project. */
  readonly file: string
  readonly title: string
}

const root = join(import.meta.dirname, '..')

export function testRowsAreHeld(contractRows: readonly HeldRow[]): void {
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
}
