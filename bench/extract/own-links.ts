/** The links of `statewright code-graph extract`, in the words of the truth. */
import type { Links } from './links.ts'

interface Piece {
  readonly file: string
  readonly entities: readonly {
    readonly id: string
    readonly type: string
    readonly name: string
    readonly file: string
    readonly line?: number
  }[]
  readonly edges: readonly {
    readonly from: string
    readonly to: string
    readonly relation: string
    readonly confidence: number
  }[]
}

export function parsePieces(text: string): readonly Piece[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Piece)
}

const program = /\.(?:[cm]?[jt]s|[jt]sx|py)$/

export function ownLinks(pieces: readonly Piece[], least: number): Links {
  const names = new Map(
    pieces.flatMap(({ entities }) =>
      entities.map(
        ({ id, type, file, line = 1, name }) => [id, type === 'file' ? file : `${file}:${line}:${name}`] as const,
      ),
    ),
  )
  const files = new Set(pieces.map(({ file }) => file))
  const links = (relation: string, isTarget = (_id: string): boolean => true): string[] => [
    ...new Set(
      pieces.flatMap(({ file, edges }) =>
        program.test(file)
          ? edges
              .filter(
                (edge) =>
                  edge.relation === relation && edge.confidence >= least && names.has(edge.to) && isTarget(edge.to),
              )
              .map(({ from, to }) => `${names.get(from) ?? from} > ${names.get(to) ?? to}`)
          : [],
      ),
    ),
  ]
  // Imports of symbols stand beside those of files, which are what the truth has.
  return { calls: links('calls'), imports: links('imports', (id) => files.has(id)) }
}
