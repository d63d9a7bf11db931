/**
 * Code graphs in Postgres or PGlite. What files contribute lies in tables; the graph that follows from it is made once
 * a version, in memory, and every question is asked of that: a version held still (G1) that answers in microseconds.
 */
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import type { IndexedFile } from '../model.ts'
import type { GraphHead, GraphPart, GraphPush, GraphStore, GraphView, ServedCounts, StageOutcome } from '../port.ts'
import { crossRepoLinks } from '../resolved/cross-repo.ts'
import { bounded } from '../resolved/search.ts'
import { resolvedView } from '../resolved/view.ts'
import { settle } from '../settle.ts'
import { adoptGeneration, createGeneration, dropGeneration, sweepGenerations, wasShown } from './generations.ts'
import { readHead, readHeads, lockHead, writeHead } from './heads.ts'
import { GraphCache, type CacheOptions, type LoadedGraph } from './loaded.ts'
import { missingParts, partsOf, putPart, unsettledOf } from './parts.ts'
import { readPiece } from './piece.ts'
import { insertFiles, piecesIn } from './rows.ts'

/** The part number above those that callers may give: where what the final part settles is written. */
const settledPart = 1_000_000

export class PostgresGraph implements GraphStore {
  readonly #sql: Sql
  readonly #cache: GraphCache
  #served = 0

  constructor(sql: Sql, options: CacheOptions = { isOnlyWriter: false }) {
    this.#sql = sql
    this.#cache = new GraphCache(sql, options)
  }

  info(): { readonly store: 'postgres' } {
    return { store: 'postgres' }
  }

  served(): ServedCounts {
    return { neo4j: 0, postgres: this.#served }
  }

  async ready(): Promise<void> {
    await this.#sql.query('select 1 from code_graph limit 1')
  }

  async push(push: GraphPush): Promise<GraphHead> {
    await sweepGenerations(this.#sql, push.repo, push.pushedAt)
    try {
      return await (push.mode === 'snapshot' ? this.#pushSnapshot(push) : this.#pushFiles(push))
    } finally {
      this.#cache.pushed(push.repo)
    }
  }

  /** Written beside what readers see, then shown at once. */
  async #pushSnapshot(push: GraphPush): Promise<GraphHead> {
    const generation = await createGeneration(this.#sql, push.repo, push.pushedAt)
    await insertFiles(this.#sql, { generation, part: 0 }, push)
    return this.#show(push, generation)
  }

  async #show(
    push: Pick<GraphPush, 'repo' | 'commit' | 'pushedAt'>,
    generation: number,
    adopt: (tx: Queryable) => Promise<void> = async () => undefined,
  ): Promise<GraphHead> {
    return this.#sql.tx(async (tx) => {
      const before = await lockHead(tx, push.repo)
      const head = await writeHead(tx, push, generation)
      await adopt(tx)
      if (before !== undefined) await dropGeneration(tx, before.generation)
      return head
    })
  }

  async #pushFiles(push: GraphPush): Promise<GraphHead> {
    return this.#sql.tx(async (tx) => {
      const before = await lockHead(tx, push.repo)
      const generation = before?.generation ?? (await createGeneration(tx, push.repo, push.pushedAt))
      await tx.query('delete from code_graph_file where generation = $1 and file = any($2::text[])', [
        generation,
        push.files.map(({ file }) => file),
      ])
      await insertFiles(tx, { generation, part: 0 }, push)
      return writeHead(tx, push, generation)
    })
  }

  async stage(part: GraphPart): Promise<StageOutcome> {
    await sweepGenerations(this.#sql, part.repo, part.pushedAt)
    const generation = await createGeneration(this.#sql, part.repo, part.pushedAt, part.snapshotId)
    await putPart(this.#sql, generation, part)
    const parts = await partsOf(this.#sql, generation)
    if (!part.final) return { status: 'staged', parts }
    const missing = missingParts(parts, part.part)
    if (missing.length > 0) return this.#refuse(part, generation, missing)
    await this.#settle(generation)
    try {
      const head = await this.#show(part, generation, (tx) => adoptGeneration(tx, generation, part.part))
      return { status: 'pushed', head }
    } finally {
      this.#cache.pushed(part.repo)
    }
  }

  async #refuse(part: GraphPart, generation: number, missing: readonly number[]): Promise<StageOutcome> {
    const head = await this.head(part.repo)
    if (head === undefined || !(await wasShown(this.#sql, part.repo, part.snapshotId, part.part)))
      return { status: 'incomplete', missing }
    await dropGeneration(this.#sql, generation)
    return { status: 'pushed', head }
  }

  async #settle(generation: number): Promise<void> {
    const where = { generation, part: settledPart }
    // Of an attempt that did not come to its end.
    await this.#sql.query('delete from code_graph_file where generation = $1 and part = $2', [generation, settledPart])
    const unsettled = await unsettledOf(this.#sql, generation)
    const contributions = await settle(unsettled, async (visit) => {
      for await (const { file, body } of piecesIn(this.#sql, generation)) visit(file, readPiece(body))
    })
    await insertFiles(this.#sql, where, { files: [], contributions })
  }

  async repos(): Promise<readonly GraphHead[]> {
    return (await readHeads(this.#sql)).map(({ head }) => head)
  }

  async head(repo: string): Promise<GraphHead | undefined> {
    return (await this.#cache.head(repo))?.head
  }

  async read<T>(repo: string, ask: (view: GraphView) => Promise<T>): Promise<T | undefined> {
    const loaded = await this.#cache.newest(repo)
    this.#served += 1
    return loaded && ask(this.#viewOf(loaded))
  }

  #viewOf({ head, graph }: LoadedGraph): GraphView {
    return resolvedView(head, graph, async (id, query) => {
      const links = []
      for (const other of await this.repos()) {
        const loaded = other.repo === head.repo ? undefined : await this.#cache.newest(other.repo)
        if (loaded !== undefined) links.push(...crossRepoLinks(graph, id, loaded, query))
        if (links.length > query.limit) break
      }
      return bounded(links, query.limit)
    })
  }

  /** The newest version in memory: what a graph database is filled from. */
  async loaded(repo: string): Promise<LoadedGraph | undefined> {
    return this.#cache.newest(repo)
  }

  async misses(repo: string, files: readonly IndexedFile[]): Promise<readonly IndexedFile[] | undefined> {
    const stored = await readHead(this.#sql, repo)
    if (stored === undefined) return undefined
    const { rows } = await this.#sql.query<{ file: string; sha: string }>(
      `select file, max(sha) as sha from code_graph_file
      where generation = $1 and file = any($2::text[]) and sha is not null group by file`,
      [stored.generation, files.map(({ file }) => file)],
    )
    const known = new Map(rows.map(({ file, sha }) => [file, sha]))
    return files.filter(({ file, sha }) => known.get(file) !== sha)
  }

  async rebuild(): Promise<void> {
    this.#cache.clear()
  }

  async close(): Promise<void> {
    await this.#cache.close()
  }
}
