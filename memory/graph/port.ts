/**
 * The code graphs of one Project, one a repository: what is pushed, and what is asked of it in steps along edges.
 * What any store of them holds to (`contract.ts`):
 *
 * - G1 A reader sees one version whole, before or after a push; each answer names the version it was read from.
 * - G2 The graph is a function of what each file contributes: replacing some files gives the graph that pushing all
 *   contributions anew would give, edge for edge.
 * - G3 Two edges of one pair and relation are one: the surer one. An entity of several files is the first file's.
 * - G4 An end that nobody declares is an entity of the type `external`.
 * - G5 Lists have an order of their own and a bound, and say when it cut them.
 */
import type { Pushed } from './settle.ts'
import type { CodeEdge, CodeEntity, Contributions, Hyperedge, IndexedFile, Tier } from './model.ts'

/** Which version an answer was made from. `version` grows with each push of the repository. */
export interface GraphHead {
  readonly repo: string
  readonly version: number
  readonly commit: string | null
  /** Epoch milliseconds. */
  readonly pushedAt: number
}

export interface GraphPush {
  readonly repo: string
  /** Undefined: the stored one stays. */
  readonly commit: string | null | undefined
  readonly pushedAt: number
  /** `snapshot`: the whole repository; `files`: only the listed files, what others contribute stays. */
  readonly mode: 'snapshot' | 'files'
  readonly files: readonly IndexedFile[]
  readonly contributions: Contributions
  /** What files contribute besides, as a thread has written it already: the pieces of one file in their order. */
  readonly written?: () => AsyncIterable<WrittenPiece>
}

/** A piece of what a file contributes, as the text that is stored (`piecesOf`). */
export interface WrittenPiece {
  readonly file: string
  readonly body: string
}

/** A snapshot in parts (GRAPH-RULE-1): readers see nothing of it before the final one. */
export interface GraphPart extends Omit<GraphPush, 'mode'> {
  /** What only all parts together can give to a file. */
  readonly unsettled: Pushed | WrittenUnsettled
  readonly snapshotId: string
  /** From 0 or 1, without gaps; a part that comes again replaces itself. */
  readonly part: number
  readonly final: boolean
}

/** The same as the text that is stored. */
interface WrittenUnsettled {
  readonly text: string
}

export type StageOutcome =
  | { readonly status: 'staged'; readonly parts: readonly number[] }
  | { readonly status: 'pushed'; readonly head: GraphHead }
  /** The final part came, and these before it never did: nothing changed. */
  | { readonly status: 'incomplete'; readonly missing: readonly number[] }

export interface EdgeFilter {
  /** Absent: any. An empty list matches nothing. */
  readonly relations?: readonly string[]
  readonly minConfidence?: number
  readonly tiers?: readonly Tier[]
}

export type Direction = 'in' | 'out' | 'both'

/** How many edges of a tier one way may use; absent: any number. */
export type HopBudget = Readonly<Partial<Record<Tier, number>>>

export interface ReachQuery extends EdgeFilter {
  readonly from: readonly string[]
  readonly direction: Direction
  readonly depth: number
  readonly limit: number
  readonly maxHops?: HopBudget
}

/** An entity at the end of a shortest way, with the last edge of that way. */
export interface Reached {
  readonly entity: CodeEntity
  readonly edge: CodeEdge
  readonly distance: number
}

export interface PathQuery extends EdgeFilter {
  readonly from: string
  readonly to: string
  readonly direction: Direction
  readonly maxDepth: number
  readonly maxHops?: HopBudget
}

export interface GraphPath {
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly CodeEdge[]
}

export interface SearchQuery {
  /** Part of a name or an id, whatever its case; or words that are parts of it, in any order. */
  readonly q?: string
  readonly type?: string
  readonly file?: string
  readonly limit: number
  /** The id behind which to go on, in the order of ids; only without `q`. */
  readonly after?: string
}

export interface EdgeQuery extends EdgeFilter {
  /** Edges of this tier, or below `lessThan`: either is enough (GRAPH-RULE-3). */
  readonly either?: { readonly tier: Tier; readonly lessThan: number }
  /** Edges from entities of this file. */
  readonly fromFile?: string
  /** Edges that touch this entity. */
  readonly of?: string
  readonly limit: number
}

export interface Bounded<T> {
  readonly items: readonly T[]
  readonly truncated: boolean
}

export interface EdgeWithEnds {
  readonly edge: CodeEdge
  readonly from: CodeEntity
  readonly to: CodeEntity
}

/** A link between the graphs of two repositories: one declares what is an external end in the other. */
export interface CrossRepoLink {
  readonly repo: string
  /** `out`: from the asked entity's side into `repo`; `in`: from `repo` to the asked entity. */
  readonly direction: 'in' | 'out'
  readonly entity: CodeEntity
  readonly edge: CodeEdge
}

export interface GraphSizes {
  readonly nodes: number
  readonly edges: number
  /** Pairs of two nodes with at least one edge from the first to the second. */
  readonly pairs: number
  readonly hyperedges: number
  readonly byType: Readonly<Record<string, number>>
  readonly byRelation: Readonly<Record<string, number>>
  readonly byTier: Readonly<Record<Tier, number>>
}

/** Edges as arrays, ends as places in `ids`, which are in ascending order: what analytics work on. */
export interface GraphArrays {
  readonly ids: readonly string[]
  /** In the order of `ids`. */
  readonly entities: readonly CodeEntity[]
  readonly relations: readonly string[]
  readonly from: Int32Array
  readonly to: Int32Array
  /** Place in `relations`. */
  readonly relation: Uint32Array
  readonly confidence: Float64Array
  /** Place in `tiers`. */
  readonly tier: Uint8Array
}

/** One version of one repository's graph; what it answers belongs to that version. */
export interface GraphView {
  readonly head: GraphHead
  entity(id: string): Promise<CodeEntity | undefined>
  /** In the order asked; unknown ids are left out. */
  entities(ids: readonly string[]): Promise<readonly CodeEntity[]>
  search(query: SearchQuery): Promise<Bounded<CodeEntity>>
  /** By distance, then id; the entities asked from are not among the answers. */
  reach(query: ReachQuery): Promise<Bounded<Reached>>
  /** A shortest way; the same entity at both ends is a way of no edges. */
  path(query: PathQuery): Promise<GraphPath | undefined>
  /** By confidence, least first, then by ends and relation. */
  edges(query: EdgeQuery): Promise<Bounded<EdgeWithEnds>>
  crossRepo(id: string, query: EdgeFilter & { readonly limit: number }): Promise<Bounded<CrossRepoLink>>
  sizes(): Promise<GraphSizes>
  hyperedge(id: string): Promise<Hyperedge | undefined>
  hyperedges(query: { readonly member?: string; readonly limit: number } & EdgeFilter): Promise<Bounded<Hyperedge>>
  arrays(): Promise<GraphArrays>
}

export interface GraphInfo {
  readonly store: 'postgres' | 'neo4j'
  /** What the server says of itself. */
  readonly server?: string
}

/** Questions by what answered them, since this process began. */
export interface ServedCounts {
  readonly neo4j: number
  /** Of a store that is served by Neo4j: because that was behind, or did not answer. */
  readonly postgres: number
}

export interface GraphStore {
  info(): GraphInfo
  served(): ServedCounts
  /** Resolves when a question could be answered now. */
  ready(): Promise<void>
  push(push: GraphPush): Promise<GraphHead>
  stage(part: GraphPart): Promise<StageOutcome>
  repos(): Promise<readonly GraphHead[]>
  head(repo: string): Promise<GraphHead | undefined>
  /**
   * Runs `ask` on the newest version. Where the store can't hold a version still, `ask` runs again when a push came
   * between; it has to be free of effects.
   */
  read<T>(repo: string, ask: (view: GraphView) => Promise<T>): Promise<T | undefined>
  /** The files whose indexed hash is not the given one; undefined: no such repository. */
  misses(repo: string, files: readonly IndexedFile[]): Promise<readonly IndexedFile[] | undefined>
  /** Fills what serves the graph from what is the truth of it, where those are two. */
  rebuild(): Promise<void>
  close(): Promise<void>
}
