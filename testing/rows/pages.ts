/** The rows of the contract, the rules and the laws, as the pages below `docs/` give them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Row {
  /** Such as `MERGE-2`. */
  readonly id: string
  /** Path from the root. */
  readonly page: string
  readonly line: number
}

/** Of these a test has to hold each row. Laws are the prover's. */
export const heldPages: readonly string[] = ['docs/contract/*.md', 'docs/rules.md']
const everyPage: readonly string[] = [...heldPages, 'docs/laws.md']

const rowOfTable = /^\| ([A-Z][A-Z-]*-\d+) \|/

export function rowsIn(page: string, text: string): readonly Row[] {
  return text.split('\n').flatMap((line, index) => {
    const id = rowOfTable.exec(line)?.[1]
    return id === undefined ? [] : [{ id, page, line: index + 1 }]
  })
}

export function readRows(root: string, pages: readonly string[] = everyPage): readonly Row[] {
  const paths = globSync([...pages], { cwd: root }).toSorted()
  return paths.flatMap((page) => rowsIn(page, readFileSync(join(root, page), 'utf8')))
}

/** Ids that two rows have. */
export function doubled(rows: readonly Row[]): readonly string[] {
  const ids = rows.map(({ id }) => id)
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}
