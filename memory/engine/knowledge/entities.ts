import type { Queryable } from '../../../runtime/store/sql.ts'
import { writeNote } from './written-by-people.ts'

export interface EntityRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
  readonly degree: number
  /** How well it fits the search: 0 the name itself, 1 its beginning, 2 within. */
  readonly fit: number
  readonly memories: number
}

/** Where a page of entities ended. */
export interface EntityCursor {
  readonly fit: number
  readonly memories: number
  readonly id: string
}

const columns = `e.id, e.name, e.type, e.description, e.metadata, e.memories,
  (select count(*) from knowledge_edge k where k.from_id = e.id or k.to_id = e.id) as degree`

/** Those with `q` in their name: best fit first, then by how many memories speak of them. */
export async function searchEntities(
  sql: Queryable,
  q: string,
  limit: number,
  after?: EntityCursor,
): Promise<readonly EntityRow[]> {
  const { rows } = await sql.query<EntityRow>(
    `with fitting as (
      select *, case when key = $1 then 0 when starts_with(key, $1) then 1 else 2 end as fit
      from knowledge_entity where strpos(key, $1) > 0),
    page as (select * from fitting
      where $3::int is null or (fit, -memories, id) > ($3::int, -$4::int, $5::uuid)
      order by fit, memories desc, id limit $2)
    select ${columns}, e.fit from page e order by e.fit, e.memories desc, e.id`,
    [q.normalize('NFKC').trim().toLowerCase(), limit, after?.fit ?? null, after?.memories ?? null, after?.id ?? null],
  )
  return rows
}

export async function findEntity(sql: Queryable, id: string): Promise<EntityRow | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<EntityRow>(`select ${columns}, 0 as fit from knowledge_entity e where e.id = $1`, [
    id,
  ])
  return rows[0]
}

/** What a merge patch (RFC 7396) leaves is stored whole; the row is the caller's, locked. */
export async function patchEntity(
  tx: Queryable,
  id: string,
  change: { readonly metadata?: Readonly<Record<string, string>>; readonly description?: string },
): Promise<void> {
  await tx.query(
    `update knowledge_entity set metadata = coalesce($2::jsonb, metadata), description = coalesce($3, description),
      is_described = is_described or $3::text is not null where id = $1`,
    [id, change.metadata === undefined ? null : JSON.stringify(change.metadata), change.description ?? null],
  )
  await writeNote(tx, id, change)
}

/** Anything else is the id of nobody. */
export function isUuid(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
}
