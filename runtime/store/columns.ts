/**
 * Rows as one parameter per column, so that a batch of any size is one statement with the same text:
 * `unnest($1::text[], $2::bigint[]) as r(actor, seq)`. A single row goes as scalars: half the time of arrays of one.
 */
export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean'
export type Columns = readonly (readonly [name: string, type: ColumnType])[]

/** A column of a batch, as a parameter: each store sends it in the form that costs it least. */
export class ColumnArray {
  readonly type: ColumnType
  readonly values: readonly unknown[]

  constructor(type: ColumnType, values: readonly unknown[]) {
    this.type = type
    this.values = values
  }
}

interface RowSource {
  readonly sql: string
  readonly params: readonly unknown[]
}

export function arraySource(columns: Columns, rows: readonly object[], firstParam: number): RowSource {
  return { sql: arraySourceText(columns, firstParam), params: arrayParams(columns, rows) }
}

export function arraySourceText(columns: Columns, firstParam: number): string {
  const casts = columns.map(([, type], index) => `$${firstParam + index}::${type}[]`)
  return `unnest(${casts.join(', ')}) as r(${columnNames(columns)})`
}

export function arrayParams(columns: Columns, rows: readonly object[]): readonly ColumnArray[] {
  return columns.map(([name, type]) => {
    const field = camelCase(name)
    return new ColumnArray(
      type,
      rows.map((row) => (row as Record<string, unknown>)[field]),
    )
  })
}

export function rowSourceText(columns: Columns, firstParam: number): string {
  const casts = columns.map(([, type], index) => `$${firstParam + index}::${type}`)
  return `(select ${casts.join(', ')}) as r(${columnNames(columns)})`
}

export function rowParams(columns: Columns, row: object): readonly unknown[] {
  return columns.map(([name]) => (row as Record<string, unknown>)[camelCase(name)])
}

export function columnNames(columns: Columns): string {
  return columns.map(([name]) => name).join(', ')
}

/** `select` list that gives a table's columns their names in the program. */
export function selectList(columns: Columns, table: string): string {
  return columns.map(([name]) => `${table}.${name} as "${camelCase(name)}"`).join(', ')
}

const fields = new Map<string, string>()

function camelCase(name: string): string {
  const known = fields.get(name)
  if (known !== undefined) return known
  const field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  fields.set(name, field)
  return field
}
