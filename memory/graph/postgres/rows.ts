import { arraySourceText, arrayParams, type Columns } from '../../../runtime/store/columns.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { Contribution } from '../model.ts'
import type { GraphPush } from '../port.ts'
import { piecesOf } from './piece.ts'

const columns: Columns = [
  ['generation', 'bigint'],
  ['file', 'text'],
  ['part', 'int'],
  ['piece', 'int'],
  ['sha', 'text'],
  ['body', 'text'],
]

const insert = `insert into code_graph_file (generation, file, part, piece, sha, body)
select generation, file, part, piece, sha, body from ${arraySourceText(columns, 1)}`

interface FileRow {
  readonly generation: number
  readonly file: string
  readonly part: number
  readonly piece: number
  readonly sha: string | null
  readonly body: string
}

/** Characters of one statement's texts: a few milliseconds to write them, and others have their turn between two. */
const batchCharacters = 400_000
const batchRows = 1_000

const nothing: Contribution = { entities: [], edges: [], hyperedges: [] }

export interface Where {
  readonly generation: number
  readonly part: number
}

/** Writes what the files contribute, batch by batch; files without contributions stand there with their hash. */
export async function insertFiles(
  sql: Queryable,
  where: Where,
  push: Pick<GraphPush, 'files' | 'contributions' | 'written'>,
): Promise<void> {
  let batch: FileRow[] = []
  let characters = 0
  for await (const row of rowsOf(where, push)) {
    batch.push(row)
    characters += row.body.length
    if (characters < batchCharacters && batch.length < batchRows) continue
    await sql.query(insert, arrayParams(columns, batch))
    batch = []
    characters = 0
  }
  if (batch.length > 0) await sql.query(insert, arrayParams(columns, batch))
}

async function* rowsOf(
  where: Where,
  { files, contributions, written }: Pick<GraphPush, 'files' | 'contributions' | 'written'>,
): AsyncGenerator<FileRow> {
  const shas = new Map(files.filter(({ sha }) => sha !== '').map(({ file, sha }) => [file, sha]))
  let last = { file: '', piece: -1 }
  const rowOf = (file: string, body: string): FileRow => {
    last = { file, piece: last.file === file ? last.piece + 1 : 0 }
    const sha = last.piece === 0 ? (shas.get(file) ?? null) : null
    if (last.piece === 0) shas.delete(file)
    return { ...where, file, piece: last.piece, body, sha }
  }
  if (written !== undefined) for await (const { file, body } of written()) yield rowOf(file, body)
  for (const [file, contribution] of contributions) for (const body of piecesOf(contribution)) yield rowOf(file, body)
  for (const file of [...shas.keys()]) for (const body of piecesOf(nothing)) yield rowOf(file, body)
}

const page = `select file, part, piece, body from code_graph_file
where generation = $1 and (file, part, piece) > ($2, $3, $4) order by file, part, piece limit 200`

interface PieceRow {
  readonly file: string
  readonly part: number
  readonly piece: number
  readonly body: string
}

/** Every piece of a generation, those of one file in their order. */
export async function* piecesIn(sql: Queryable, generation: number): AsyncGenerator<PieceRow> {
  let last: Pick<PieceRow, 'file' | 'part' | 'piece'> = { file: '', part: -1, piece: -1 }
  for (;;) {
    const { rows } = await sql.query<PieceRow>(page, [generation, last.file, last.part, last.piece])
    yield* rows
    const end = rows.at(-1)
    if (end === undefined) return
    last = end
  }
}
