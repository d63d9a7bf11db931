/**
 * Code graphs served by Neo4j over Bolt. Postgres is the truth: a push ends when it is there, and is brought to Neo4j
 * behind it, again and again until it is there too. Until then, and when Neo4j does not answer, Postgres answers, so
 * that who pushed reads what was pushed, and the graph database is never needed for anything but its speed and its tools.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createOutage, type Outage } from '../../../runtime/outage.ts'
import type { Random } from '../../../runtime/random.ts'
import type { IndexedFile } from '../model.ts'
import type {
  GraphHead,
  GraphInfo,
  GraphPart,
  GraphPush,
  GraphStore,
  GraphView,
  ServedCounts,
  StageOutcome,
} from '../port.ts'
import type { LoadedGraph } from '../postgres/loaded.ts'
import type { PostgresGraph } from '../postgres/store.ts'
import type { Bolt, Query } from './bolt.ts'
import { difference, sizeOf } from './difference.ts'
import { projectDifference, projectWhole, readShown, removeRepo } from './projection.ts'
import { toShown, type ShownGraph } from './rows.ts'
import { claimSpace, createSchema } from './schema.ts'
import { neo4jView } from './view.ts'

export interface Neo4jGraphOptions {
  readonly truth: PostgresGraph
  readonly bolt: Bolt
  /** Keeps the graphs of one Project apart from others on the same server: Community has one database. Empty: `owner`. */
  readonly space: string
  /** The instance that the space belongs to: the id of the database that `truth` reads. */
  readonly owner: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Changes that one transaction may make to the graph that is shown; with more of them a new one is loaded. */
const mostChanges = 20_000

/** A push came between the queries of one reader. */
class MovedError extends Error {}

export class Neo4jGraph implements GraphStore {
  readonly #options: Neo4jGraphOptions
  /** What Neo4j shows, as far as this process knows; with the graph that was brought there, where it was this process. */
  readonly #shown = new Map<string, { readonly shown: ShownGraph; readonly loaded?: LoadedGraph }>()
  readonly #projecting = new Map<string, Promise<void>>()
  readonly #retries = new Map<string, Timer>()
  /** By repository: projections that failed, until one of it succeeds. */
  readonly #outages = new Map<string, Outage>()
  readonly #answers: Outage
  #schema: Promise<void> | undefined
  #server: string | undefined
  #isClosed = false
  #attempts = 0
  #served = { neo4j: 0, postgres: 0 }

  constructor(options: Neo4jGraphOptions) {
    this.#options = { ...options, space: options.space === '' ? options.owner : options.space }
    this.#answers = createOutage({
      ...options,
      failing: 'Neo4j did not answer; Postgres answers instead',
      over: 'Neo4j answers again',
    })
  }

  info(): GraphInfo {
    return { store: 'neo4j', ...(this.#server === undefined ? {} : { server: this.#server }) }
  }

  served(): ServedCounts {
    return { ...this.#served }
  }

  async ready(): Promise<void> {
    await this.#options.truth.ready()
    this.#server = await this.#options.bolt.server()
  }

  async push(push: GraphPush): Promise<GraphHead> {
    const head = await this.#options.truth.push(push)
    this.#bring(push.repo)
    return head
  }

  async stage(part: GraphPart): Promise<StageOutcome> {
    const outcome = await this.#options.truth.stage(part)
    if (outcome.status === 'pushed') this.#bring(part.repo)
    return outcome
  }

  repos(): Promise<readonly GraphHead[]> {
    return this.#options.truth.repos()
  }

  head(repo: string): Promise<GraphHead | undefined> {
    return this.#options.truth.head(repo)
  }

  misses(repo: string, files: readonly IndexedFile[]): Promise<readonly IndexedFile[] | undefined> {
    return this.#options.truth.misses(repo, files)
  }

  async read<T>(repo: string, ask: (view: GraphView) => Promise<T>): Promise<T | undefined> {
    const { truth } = this.#options
    const head = await truth.head(repo)
    if (head === undefined) return undefined
    const known = this.#shown.get(repo)
    if (known?.shown.head.version === head.version)
      try {
        const answer = await this.#readShown(known.shown, ask)
        this.#answers.answered({ repo })
        this.#served.neo4j += 1
        return answer
      } catch (error) {
        if (!isOfServer(error) && !(error instanceof MovedError)) throw error
        // Where this process brought the newer version, it knows that one by now.
        if (this.#shown.get(repo) === known) this.#shown.delete(repo)
        this.#answers.failed(error, { repo })
      }
    this.#bring(repo)
    this.#served.postgres += 1
    return truth.read(repo, ask)
  }

  /**
   * Neo4j shows each query what is committed by then: an answer counts, and so does a refusal, when the version is still
   * the same behind it.
   */
  async #readShown<T>(shown: ShownGraph, ask: (view: GraphView) => Promise<T>): Promise<T> {
    const { bolt, space, truth } = this.#options
    const { repo, version } = shown.head
    return bolt.read(async (query) => {
      const arrays = async (): Promise<LoadedGraph['graph']> => {
        const loaded = await truth.loaded(repo)
        if (loaded?.head.version !== version) throw new MovedError(`${repo} has a newer version`)
        return loaded.graph
      }
      const view = neo4jView({ query, space, shown, arrays })
      const outcome = await outcomeOf(() => ask(view))
      const now = await this.#shownIn(query, repo)
      if (now?.head.version !== version || now.graph !== shown.graph)
        throw new MovedError(`${repo} has a newer version`)
      return outcome()
    })
  }

  async #shownIn(query: Query, repo: string): Promise<ShownGraph | undefined> {
    const node = await readShown(query, this.#options.space, repo)
    return node && toShown(node)
  }

  /** Sees to it that Neo4j gets what Postgres has; one projection of a repository at a time. After a failure no reader and no push asks before the pause is over. */
  #bring(repo: string): void {
    if (this.#isClosed || this.#projecting.has(repo) || this.#retries.has(repo)) return
    const bringing = this.#project(repo)
      .then(
        () => this.#brought(repo),
        (error: unknown) => this.#tryAgain(repo, error),
      )
      .finally(() => this.#projecting.delete(repo))
    this.#projecting.set(repo, bringing)
  }

  #tryAgain(repo: string, error: unknown): void {
    if (this.#isClosed) return
    const failing = 'the service could not write a code graph to Neo4j; it retries'
    const over = 'the service wrote a code graph to Neo4j that had failed'
    const outage = this.#outages.get(repo) ?? createOutage({ ...this.#options, failing, over })
    this.#outages.set(repo, outage)
    const timer = this.#options.clock.setTimer(outage.failed(error, { repo }), () => {
      this.#retries.delete(repo)
      this.#bring(repo)
    })
    this.#retries.set(repo, timer)
  }

  #brought(repo: string): void {
    this.#outages.get(repo)?.answered({ repo })
    this.#outages.delete(repo)
  }

  /** Until Neo4j shows the newest version: pushes may come meanwhile. */
  async #project(repo: string): Promise<void> {
    const { bolt, truth, space } = this.#options
    const wasHere = this.#schema !== undefined
    await this.#ensureSchema()
    while (!this.#isClosed) {
      const loaded = await truth.loaded(repo)
      if (loaded === undefined) return
      const known = this.#shown.get(repo) ?? (await this.#lookUp(repo))
      // A server that was replaced by an empty one meanwhile has no constraints either.
      if (known === undefined && wasHere) await this.#makeSchema()
      if (known?.shown.head.version === loaded.head.version) return
      const changes = known?.loaded && difference(known.loaded.graph, loaded.graph)
      const shown =
        known !== undefined && changes !== undefined && sizeOf(changes) <= mostChanges
          ? await projectDifference(bolt, space, changes, { head: loaded.head, before: known.shown })
          : await this.#whole(loaded)
      // Lost, or replaced by another process: looked for again.
      if (shown === undefined) this.#shown.delete(repo)
      else this.#shown.set(repo, { shown, loaded })
    }
  }

  #whole(loaded: LoadedGraph): Promise<ShownGraph> {
    const { bolt, space, clock } = this.#options
    return projectWhole(bolt, space, loaded, `${clock.now().toString(36)}-${++this.#attempts}`)
  }

  async #lookUp(repo: string): Promise<{ readonly shown: ShownGraph; readonly loaded?: LoadedGraph } | undefined> {
    const shown = await this.#options.bolt.read((query) => this.#shownIn(query, repo))
    if (shown === undefined) return undefined
    const known = { shown }
    this.#shown.set(repo, known)
    return known
  }

  #ensureSchema(): Promise<void> {
    return this.#schema ?? this.#makeSchema()
  }

  #makeSchema(): Promise<void> {
    const { bolt, space, owner } = this.#options
    const made = createSchema(bolt).then(() => claimSpace(bolt, space, owner))
    this.#schema = made
    made.catch(() => (this.#schema = undefined))
    return made
  }

  /** Resolves when what was pushed so far has been brought to Neo4j, or has failed to be. */
  async settled(): Promise<void> {
    await Promise.all(this.#projecting.values())
  }

  /** Loads every graph anew, and takes away those that Postgres does not know. */
  async rebuild(): Promise<void> {
    const { bolt, space, truth } = this.#options
    await this.settled()
    await this.#ensureSchema()
    const heads = await truth.repos()
    const known = new Set(heads.map(({ repo }) => repo))
    const there = await bolt.read((query) =>
      query('MATCH (g:CodeGraph {space: $space}) RETURN g.repo AS repo', { space }),
    )
    for (const repo of there.map((row) => row['repo'] as string)) {
      this.#shown.delete(repo)
      if (!known.has(repo)) await removeRepo(bolt, space, repo)
    }
    for (const { repo } of heads) {
      const loaded = await truth.loaded(repo)
      if (loaded !== undefined) this.#shown.set(repo, { shown: await this.#whole(loaded), loaded })
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const retry of this.#retries.values()) retry.cancel()
    await this.settled()
    await this.#options.bolt.close()
  }
}

/** What a function gave, or threw, to be had later. */
async function outcomeOf<T>(run: () => Promise<T>): Promise<() => T> {
  try {
    const value = await run()
    return () => value
  } catch (error) {
    if (isOfServer(error)) throw error
    return () => {
      throw error
    }
  }
}

/** What Neo4j or the way to it did; anything else is the asker's own. */
function isOfServer(error: unknown): boolean {
  return (error as { readonly name?: unknown }).name === 'Neo4jError'
}
