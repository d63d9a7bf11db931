/** The process of a cell with a fault in it: what the comparison must see. */
import type { Sql } from '../../../runtime/store/sql.ts'
import { countCell } from '../count-cell.ts'
import type { CountSpec } from '../count-cell.ts'

type Plant = 'statement' | 'row' | 'none'

const plants: Readonly<Record<Plant, (sql: Sql) => Promise<Sql>>> = {
  /** One more before each. */
  statement: async (sql) => ({
    ...sql,
    query: async (text, params) => {
      await sql.query('select 1')
      return sql.query(text, params)
    },
  }),
  /** One more for each event, of no statement of the runtime. */
  row: async (sql) => {
    await sql.exec(`create table planted (key text);
      create function plant() returns trigger language plpgsql as
        $$ begin insert into planted values (new.key); return null; end $$;
      create trigger planting after insert on event for each row execute function plant()`)
    return sql
  },
  none: async (sql) => sql,
}

const spec = JSON.parse(process.argv[2] ?? '') as CountSpec & { readonly plant: Plant }
console.log(JSON.stringify(await countCell(spec, plants[spec.plant])))
