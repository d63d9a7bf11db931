/** What memories say of the files of their repositories and of how these changed, kept and brought up to the rows at each query. */
import type { Sql } from '../../runtime/store/sql.ts'
import { FileRanker, type Change } from './file-ranker.ts'

interface Row {
  readonly id: string
  readonly repo: string
  readonly file: string
  readonly updated: number
  readonly subject: string | null
  readonly files: string | null
  readonly at: string | null
}

interface Kept {
  readonly repo: string
  /** Null: a commit or an issue, which has a name where files have their path. */
  readonly file: string | null
}

/** Rows that another transaction wrote earlier and committed later are read once more. */
const overlapMs = 10_000

export class RepoCorpora {
  readonly #sql: Sql
  readonly #kept = new Map<string, Kept>()
  readonly #rankers = new Map<string, FileRanker>()
  /** How many memories each file has, by repository. */
  readonly #memories = new Map<string, Map<string, number>>()
  #newest = 0
  #underway: Promise<void> | undefined

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Those of these repositories, or of every one. */
  async rankers(repos?: readonly string[]): Promise<ReadonlyMap<string, FileRanker>> {
    this.#underway ??= this.#sync().finally(() => (this.#underway = undefined))
    await this.#underway
    if (repos === undefined) return this.#rankers
    return new Map([...this.#rankers].filter(([repo]) => repos.includes(repo)))
  }

  async #sync(): Promise<void> {
    const { rows } = await this.#sql.query<{ count: number; newest: number | null }>(
      `select (select count(*)::int from memory where file is not null) as count,
        (select max(updated_at)::float8 from memory where file is not null) as newest`,
    )
    const { count, newest } = rows[0]!
    if (newest !== null && newest > this.#newest) await this.#readFrom(this.#newest - overlapMs)
    if (count !== this.#kept.size) await this.#dropGone()
  }

  async #readFrom(since: number): Promise<void> {
    const { rows } = await this.#sql.query<Row>(
      `select id, repo, file, updated_at::float8 as updated, metadata->>'subject' as subject,
        case when metadata->>'kind' = 'commit' then metadata->>'files' end as files, metadata->>'committed_at' as at
      from memory where file is not null and updated_at >= $1`,
      [since],
    )
    for (const row of rows) {
      this.#newest = Math.max(this.#newest, row.updated)
      if (!this.#kept.has(row.id)) this.#add(row)
    }
  }

  #add(row: Row): void {
    const { id, repo, file } = row
    const isFile = !file.startsWith('@')
    this.#kept.set(id, { repo, file: isFile ? file : null })
    const ranker = this.#rankers.get(repo) ?? new FileRanker(repo)
    this.#rankers.set(repo, ranker)
    if (isFile) {
      this.#count(repo, file, 1)
      ranker.addFile(file)
    } else if (row.files !== null) ranker.addChange(id, changeOf(row))
  }

  async #dropGone(): Promise<void> {
    const { rows } = await this.#sql.query<{ id: string }>('select id from memory where file is not null')
    const there = new Set(rows.map((row) => row.id))
    for (const [id, { repo, file }] of this.#kept) {
      if (there.has(id)) continue
      this.#kept.delete(id)
      const ranker = this.#rankers.get(repo)
      if (file === null) ranker?.removeChange(id)
      else if (this.#count(repo, file, -1) === 0) ranker?.removeFile(file)
    }
  }

  #count(repo: string, file: string, by: 1 | -1): number {
    const counts = this.#memories.get(repo) ?? new Map<string, number>()
    this.#memories.set(repo, counts)
    const count = (counts.get(file) ?? 0) + by
    if (count === 0) counts.delete(file)
    else counts.set(file, count)
    return count
  }
}

function changeOf({ subject, files, at }: Row): Change {
  return {
    subject: subject ?? '',
    files: (files ?? '').split('\n').filter((file) => file !== ''),
    at: Date.parse(at ?? '') || 0,
  }
}
