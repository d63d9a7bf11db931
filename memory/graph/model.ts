/** What a code graph is made of (CODE-PUSH-6 to CODE-PUSH-12; the names are those of the REST bodies). */
export type Tier = 'EXTRACTED' | 'INFERRED' | 'AMBIGUOUS'

export const tiers: readonly Tier[] = ['EXTRACTED', 'INFERRED', 'AMBIGUOUS']

export type Metadata = Readonly<Record<string, unknown>>

/** An end that nobody declared is an entity too: of this type, named by its id. */
export const externalType = 'external'

export interface CodeEntity {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly file?: string
  readonly line?: number
  readonly language?: string
  readonly metadata?: Metadata
}

export interface CodeEdge {
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly confidence: number
  readonly tier: Tier
  readonly metadata?: Metadata
}

export interface Hyperedge {
  readonly id: string
  readonly relation: string
  readonly label: string
  readonly members: readonly string[]
  readonly confidence: number
  readonly tier: Tier
  readonly metadata?: Metadata
}

/** A file and the hash of the content that was indexed; an empty `sha` says that the file is gone. */
export interface IndexedFile {
  readonly file: string
  readonly sha: string
}

/** All that one file contributes. `''` is what came from no file. */
export interface Contribution {
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly CodeEdge[]
  readonly hyperedges: readonly Hyperedge[]
}

export type Contributions = ReadonlyMap<string, Contribution>
