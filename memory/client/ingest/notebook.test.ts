import { expect, test } from 'vitest'
import { locationInNotebook, textOfNotebook } from './notebook.ts'

const notebook = (...cells: readonly object[]): string => JSON.stringify({ cells, metadata: {}, nbformat: 4 })
const code = (source: unknown, outputs: readonly object[] = []): object => ({
  ...{ cell_type: 'code', execution_count: 1, metadata: {}, source, outputs },
})
const words = (source: unknown): object => ({
  cell_type: 'markdown',
  metadata: {},
  source,
  attachments: { 'a.png': {} },
})

const picture = { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=', 'text/plain': ['<Figure>'] } }
const read = '[cell 1, markdown]\n# Durations\nWeeks are rare.\n\n[cell 2, code]\nrows = load()\nplot(rows)'

test('of a notebook the sources of its cells are read, in their order, and nothing that came out (REPO-INGEST-17)', () => {
  const cells = [words(['# Durations\n', 'Weeks are rare.']), code('rows = load()\nplot(rows)\n', [picture])]
  expect(textOfNotebook(notebook(...cells))).toBe(read)
  expect(textOfNotebook(`\uFEFF${JSON.stringify({ nbformat: 4, cells }, null, 1)}`)).toBe(read)
})

test('one of nbformat 3 is read as well', () => {
  const cells = [
    { cell_type: 'markdown', source: ['# Durations\n', 'Weeks are rare.'] },
    { cell_type: 'code', input: ['rows = load()\n', 'plot(rows)'], language: 'python', outputs: [picture] },
  ]
  expect(textOfNotebook(JSON.stringify({ nbformat: 3, worksheets: cells.map((cell) => ({ cells: [cell] })) }))).toBe(
    read,
  )
})

test('cells keep their numbers where one is empty', () => {
  expect(textOfNotebook(notebook(code([]), code(' \n'), { cell_type: 'raw', source: 'x' }))).toBe('[cell 3, raw]\nx')
  expect(textOfNotebook(notebook())).toBe('')
})

test('a NUL and half of a pair within JSON are none of the text', () => {
  expect(textOfNotebook(notebook(code('a\0b\uD800')))).toBe('[cell 1, code]\nab\uFFFD')
})

test.each([
  ['<<<<<<< HEAD\n{}'],
  ['[]'],
  ['null'],
  ['{"nbformat":4}'],
  ['{"cells":{}}'],
  ['{"cells":[{"source":"x"}]}'],
  ['{"cells":[{"cell_type":"code]\\n[cell 9, code","source":"x"}]}'],
  ['{"cells":[{"cell_type":"code","source":[1]}]}'],
  ['{"worksheets":[{"cells":null}]}'],
  ['{"cells":'.repeat(60_000)],
  ['['.repeat(500_000)],
])('is none: %.40s', (text) => expect(textOfNotebook(text)).toBeUndefined())

test('a line of the text is named by its cell', () => {
  const places = [2, 3, 6, 7].map((line) => locationInNotebook(read, line))
  expect(places).toEqual(['cell 1, line 1', 'cell 1, line 2', 'cell 2, line 1', 'cell 2, line 2'])
})
