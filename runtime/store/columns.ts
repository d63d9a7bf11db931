/**
 * Rows as one array parameter per column: a batch of any size is one statement with the same text.
 * `unnest($1::text[], $2::bigint[]) as r(actor, seq)` and the arrays for it.
 */
export type Columns = readonly (readonly [name: string, type: 'text' | 'int' | 'bigint' | 'boolean'])[]

export interface ArraySource {
  readonly sql: string
  readonly params: readonly unknown[][]
}

export function arraySource(columns: Columns, rows: readonly object[], firstParam: number): ArraySource {
  const casts = columns.map(([, type], index) => `$${firstParam + index}::${type}[]`)
  const names = columns.map(([name]) => name)
  return {
    sql: `unnest(${casts.join(', ')}) as r(${names.join(', ')})`,
    params: names.map((name) => rows.map((row) => (row as Record<string, unknown>)[camelCase(name)])),
  }
}

export function columnNames(columns: Columns): string {
  return columns.map(([name]) => name).join(', ')
}

/** `select` list that gives a table's columns their names in the program. */
export function selectList(columns: Columns, table: string): string {
  return columns.map(([name]) => `${table}.${name} as "${camelCase(name)}"`).join(', ')
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
