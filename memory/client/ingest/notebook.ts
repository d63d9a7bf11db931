/** Jupyter notebooks, nbformat 3 and 4: what people wrote into the cells, without what came out of them. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { clean } from './clean.ts'

const Source = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]))
/** nbformat 3 keeps code under `input`. */
const Cells = Type.Array(
  Type.Object({ cell_type: Type.String({ pattern: '^[a-z]{1,20}$' }), source: Source, input: Source }),
)
const Notebook = Type.Union([
  Type.Object({ cells: Cells }),
  Type.Object({ worksheets: Type.Array(Type.Object({ cells: Cells })) }),
])

const cellHead = /^\[(cell \d+), [a-z]+\]$/

export function isNotebook(file: string): boolean {
  return /\.ipynb$/i.test(file)
}

/** Each cell below a line with its number. Undefined: it is no notebook. */
export function textOfNotebook(text: string): string | undefined {
  const notebook = parsed(text)
  if (!Value.Check(Notebook, notebook)) return undefined
  const cells = 'cells' in notebook ? notebook.cells : notebook.worksheets.flatMap((sheet) => sheet.cells)
  return cells
    .map(({ cell_type: type, source, input }, at) => {
      const written = clean([source ?? input ?? ''].flat().join('')).trimEnd()
      return written.trim() === '' ? '' : `[cell ${at + 1}, ${type}]\n${written}`
    })
    .filter((cell) => cell !== '')
    .join('\n\n')
}

/** Where a line of that text is in the notebook. */
export function locationInNotebook(text: string, line: number): string {
  const lines = text.split('\n').slice(0, line)
  const head = lines.findLastIndex((each) => cellHead.test(each))
  return `${cellHead.exec(lines[head] ?? '')?.[1]}, line ${line - 1 - head}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
