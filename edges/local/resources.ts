import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { contentHash } from '../forge/hash.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import type { AppliedResource, Resource, ResourceStore, Wanted } from '../ports/resources.ts'

interface Row {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly generation: number
  readonly spec: Record<string, unknown>
  readonly created_at: number
  readonly updated_at: number
}

const columns = 'kind, namespace, name, uid, generation, spec, created_at, updated_at'

/** Resources in the embedded database: what `statewright apply` writes on one machine. */
export function localResources(sql: Sql, clock: Clock, ids: Ids): ResourceStore {
  return {
    get: async (kind, namespace, name) => (await select(sql, kind, namespace, name))[0],
    list: async (kind, namespace) => {
      const { rows } = await sql.query<Row>(
        `select ${columns} from resource where kind = $1 and ($2::text is null or namespace = $2) order by namespace, name`,
        [kind, namespace ?? null],
      )
      return rows.map(toResource)
    },
    apply: (wanted) => sql.tx((tx) => apply(tx, wanted, clock.now(), ids.next())),
    remove: async (kind, namespace, name) => {
      const { rowCount } = await sql.query('delete from resource where kind = $1 and namespace = $2 and name = $3', [
        kind,
        namespace,
        name,
      ])
      return rowCount > 0
    },
  }
}

async function apply(tx: Queryable, wanted: Wanted, now: number, uid: string): Promise<AppliedResource> {
  const [before] = await select(tx, wanted.kind, wanted.namespace, wanted.name)
  if (before !== undefined && sameJson(before.spec, wanted.spec)) return { resource: before, change: 'unchanged' }
  const { rows } = await tx.query<Row>(
    `insert into resource (${columns}) values ($1, $2, $3, $4, 1, $5, $6, $6)
     on conflict (kind, namespace, name)
     do update set spec = excluded.spec, generation = resource.generation + 1, updated_at = excluded.updated_at
     returning ${columns}`,
    [wanted.kind, wanted.namespace, wanted.name, uid, JSON.stringify(wanted.spec), now],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`${wanted.kind} ${wanted.name} was not written`)
  return { resource: toResource(row), change: before === undefined ? 'created' : 'configured' }
}

async function select(sql: Queryable, kind: string, namespace: string, name: string): Promise<readonly Resource[]> {
  const { rows } = await sql.query<Row>(
    `select ${columns} from resource where kind = $1 and namespace = $2 and name = $3`,
    [kind, namespace, name],
  )
  return rows.map(toResource)
}

function toResource(row: Row): Resource {
  const { created_at: createdAt, updated_at: updatedAt, ...rest } = row
  return { ...rest, createdAt, updatedAt }
}

/** Order of keys is no change: jsonb keeps its own. */
function sameJson(a: unknown, b: unknown): boolean {
  return contentHash(a) === contentHash(b)
}
