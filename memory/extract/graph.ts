/** What is pushed to the knowledge service: the body of `POST /code-graph:bulk` (GRAPH-RULE-4). */
export type Tier = 'EXTRACTED' | 'INFERRED' | 'AMBIGUOUS'

export interface CodeEntity {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly file: string
  readonly line?: number
  readonly language?: string
  readonly metadata?: Readonly<Record<string, string>>
}

export interface CodeEdge {
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly confidence: number
  readonly tier: Tier
  readonly metadata?: Readonly<Record<string, string>>
}

/** All that came from one file: what the mode `files` replaces as one. */
export interface FilePiece {
  readonly file: string
  readonly sha: string
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly CodeEdge[]
}

/** How sure a link is: the rubric of the three tiers. EXTRACTED is what the text itself says. */
export const confidence = {
  literal: 1,
  /** A declared type, or a base class. */
  declared: 0.95,
  /** A type that follows from an initial value, or from what a function says that it returns. */
  inferred: 0.85,
  /** The one definition of that name among the files that this one includes or lies beside. */
  nearby: 0.75,
  /** The one method of that name, in a file that this one imports. */
  importedName: 0.65,
  /** The one method of that name anywhere in the repository. */
  onlyName: 0.55,
  /** One of two methods of that name, or of three. */
  oneOfTwo: 0.3,
  oneOfThree: 0.2,
  /** Perhaps a package, but no manifest names it. */
  undeclared: 0.3,
  /** An import that leads to no file and can be no package. */
  unresolved: 0.2,
} as const

/** AMBIGUOUS ends here (facts: 0.1 to 0.3), INFERRED begins at 0.55. */
const mostAmbiguous = 0.3

export function tierOf(value: number): Tier {
  if (value === 1) return 'EXTRACTED'
  return value > mostAmbiguous ? 'INFERRED' : 'AMBIGUOUS'
}
