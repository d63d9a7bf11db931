/** What a repository's memories and its code graph say about its files, kept until either has changed. */
import type { GraphStore } from '../graph/port.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { FileRanker, type Change, type FileLink } from './file-ranker.ts'

interface Kept {
  readonly mark: string
  readonly ranker: FileRanker
}

/** Of repositories asked for last. */
const mostKept = 8
/** Newer changes say more, and lists of more than these take long to read. */
const mostChanges = 5000

export class RepoCorpora {
  readonly #sql: Sql
  readonly #graph: GraphStore
  readonly #kept = new Map<string, Promise<Kept>>()

  constructor(sql: Sql, graph: GraphStore) {
    this.#sql = sql
    this.#graph = graph
  }

  /** Undefined: nothing of this repository was ever stored with a file. */
  async ranker(repo: string): Promise<FileRanker | undefined> {
    const mark = await this.#mark(repo)
    if (mark === undefined) return undefined
    const known = await this.#kept.get(repo)?.catch(() => undefined)
    if (known?.mark === mark) return known.ranker
    const fresh = this.#read(repo, mark)
    this.#kept.delete(repo)
    this.#kept.set(repo, fresh)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return (await fresh).ranker
  }

  async #mark(repo: string): Promise<string | undefined> {
    const { rows } = await this.#sql.query<{ files: number; newest: number | null }>(
      `select count(*)::int as files, max(updated_at)::float8 as newest from memory
        where repo = $1 and file is not null`,
      [repo],
    )
    const [row] = rows
    if (row === undefined || row.files === 0) return undefined
    return `${row.files} ${row.newest} ${(await this.#graph.head(repo))?.version ?? 0}`
  }

  async #read(repo: string, mark: string): Promise<Kept> {
    const files = await this.#files(repo)
    const [changes, links] = [await this.#changes(repo), await this.#links(repo)]
    return { mark, ranker: new FileRanker({ files, changes, links }) }
  }

  async #files(repo: string): Promise<readonly string[]> {
    const { rows } = await this.#sql.query<{ file: string }>(
      `select distinct file from memory where repo = $1 and file is not null and file not like '@%'`,
      [repo],
    )
    return rows.map(({ file }) => file)
  }

  async #changes(repo: string): Promise<readonly Change[]> {
    const { rows } = await this.#sql.query<{ subject: string | null; files: string | null; at: string | null }>(
      `select metadata->>'subject' as subject, metadata->>'files' as files, metadata->>'committed_at' as at
        from memory where repo = $1 and metadata->>'kind' = 'commit' and metadata ? 'files'
        order by metadata->>'committed_at' desc limit ${mostChanges}`,
      [repo],
    )
    return rows.map(({ subject, files, at }) => ({
      subject: subject ?? '',
      files: (files ?? '').split('\n').filter((file) => file !== ''),
      at: Date.parse(at ?? '') || 0,
    }))
  }

  async #links(repo: string): Promise<readonly FileLink[]> {
    const links = await this.#graph.read(repo, async (view) => {
      const { ids, from, to, confidence } = await view.arrays()
      return Array.from(from, (at, edge) => ({
        from: fileOf(ids[at] ?? ''),
        to: fileOf(ids[to[edge] ?? 0] ?? ''),
        confidence: confidence[edge] ?? 0,
      }))
    })
    return (links ?? []).filter(({ from, to, confidence }) => from !== to && confidence >= leastConfidence)
  }
}

/** Guesses by name alone link everything with everything. */
const leastConfidence = 0.5

/** Ids of entities are their file's path, and behind `#` the name within (`statewright code-graph push`). */
function fileOf(id: string): string {
  const end = id.indexOf('#')
  return end < 0 ? id : id.slice(0, end)
}
