import type { Queryable } from '../sql.ts'

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly preset: string | null
  readonly collation: string | null
}

interface Named {
  readonly table: string
  readonly name: string
  readonly definition: string
}

const columns = `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
  not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as preset,
  case when a.attcollation <> t.typcollation then co.collname end as collation
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join pg_collation co on co.oid = a.attcollation
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`

/** Postgres 18 lists not-null constraints, 15 does not: the columns say so already. */
const constraints = `select c.relname as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = current_schema()::regnamespace and k.contype <> 'n' order by c.relname, k.conname`

const indexes = `select i.tablename as "table", i.indexname as name, i.indexdef as definition from pg_indexes i
  where i.schemaname = current_schema()
    and not exists (select 1 from pg_constraint k where k.conname = i.indexname and k.connamespace = current_schema()::regnamespace)
  order by i.tablename, i.indexname`

/** The whole schema as text, the same from every server version: what `schema.sql` is compared with. */
export async function dumpSchema(sql: Queryable): Promise<string> {
  const table = Map.groupBy((await sql.query<Column>(columns)).rows, (row) => row.table)
  const rules = Map.groupBy((await sql.query<Named>(constraints)).rows, (row) => row.table)
  const indexRows = (await sql.query<Named>(indexes)).rows
  const tables = [...table].map(([name, rows]) => {
    const lines = [
      ...rows.map(columnLine),
      ...(rules.get(name) ?? []).map((rule) => `constraint ${rule.name} ${rule.definition}`),
    ]
    return `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`
  })
  return [header, ...tables, ...indexRows.map((index) => `${index.definition};`), ''].join('\n')
}

const header = '-- Generated from the migrations by dumpSchema; a test compares it with what they make. Do not edit.\n'

function columnLine({ name, type, nullable, preset, collation }: Column): string {
  const parts = [
    name,
    type,
    collation && `collate "${collation}"`,
    nullable ? '' : 'not null',
    preset && `default ${preset}`,
  ]
  return parts.filter(Boolean).join(' ')
}
