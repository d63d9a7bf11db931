import type { SampleSize } from './graph-sample.ts'

export const usual: SampleSize = { nodes: 20_000, edges: 100_000 }
export const large: SampleSize = { nodes: 200_000, edges: 1_000_000 }

export interface GraphRow {
  readonly section: 'graph'
  readonly store: 'embedded' | 'plain SQL' | 'neo4j directly' | 'neo4j by the service'
  readonly question: string
  readonly nodes: number
  readonly edges: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly count: number
  /** Against plain SQL: the median of the ratios of one turn. */
  readonly toSql?: number | undefined
}
