/**
 * As much of a terminal as the agent's CLI uses: a grid of cells, the cursor, erasing and scrolling. Colours and modes
 * change nothing here, and a character is one cell wide.
 */
export interface Screen {
  write(text: string): void
  /** The rows from the top, blanks at their ends left out. */
  text(): string
}

interface Grid {
  readonly cols: number
  readonly rows: number
  cells: string[][]
  row: number
  col: number
  saved: readonly [row: number, col: number]
}

export function createScreen(cols: number, rows: number): Screen {
  const grid: Grid = { cols, rows, cells: [], row: 0, col: 0, saved: [0, 0] }
  clear(grid)
  let rest = ''
  return {
    write(text) {
      rest = consume(grid, rest + text)
    },
    text: () => grid.cells.map((cells) => cells.join('').trimEnd()).join('\n'),
  }
}

// oxlint-disable-next-line no-control-regex -- control sequences are what this is about
const sequence =
  /^\u001b(?:\[([?>=<]?)([\d;:]*)([ -/]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[P^_X][^\u001b]*\u001b\\|[()#*+].|[^[\]P^_X()#*+])/

/** Gives back what may be the beginning of a sequence. */
function consume(grid: Grid, text: string): string {
  let at = 0
  while (at < text.length) {
    if (text[at] === '\u001b') {
      const found = sequence.exec(text.slice(at, at + 4096))
      if (!found) return text.slice(at)
      perform(grid, found)
      at += found[0].length
      continue
    }
    const character = String.fromCodePoint(text.codePointAt(at)!)
    put(grid, character)
    at += character.length
  }
  return ''
}

function put(grid: Grid, character: string): void {
  if (character === '\r') grid.col = 0
  else if (character === '\n') lineFeed(grid)
  else if (character === '\b') grid.col = Math.max(0, grid.col - 1)
  else if (character === '\t') grid.col = Math.min(grid.cols - 1, (Math.floor(grid.col / 8) + 1) * 8)
  else if (character >= ' ' && character !== '\u007f') print(grid, character)
}

function print(grid: Grid, character: string): void {
  if (grid.col >= grid.cols) {
    grid.col = 0
    lineFeed(grid)
  }
  grid.cells[grid.row]![grid.col] = character
  grid.col += 1
}

function lineFeed(grid: Grid): void {
  if (grid.row < grid.rows - 1) grid.row += 1
  else grid.cells = [...grid.cells.slice(1), blankRow(grid)]
}

function perform(grid: Grid, [whole, mark = '', given = '', , final = '']: RegExpExecArray): void {
  if (final === '') return escapeAlone(grid, whole)
  if (mark !== '') return final === 'h' && given.includes('1049') ? clear(grid) : undefined
  const numbers = given.split(';').map(Number)
  const count = Math.max(1, numbers[0] || 1)
  const move = moves[final]
  if (move) move(grid, count, numbers)
  else edits[final]?.(grid, count, numbers[0] ?? 0)
}

function escapeAlone(grid: Grid, whole: string): void {
  if (whole === '\u001b7') grid.saved = [grid.row, grid.col]
  if (whole === '\u001b8') [grid.row, grid.col] = grid.saved
  if (whole === '\u001bM') grid.row = Math.max(0, grid.row - 1)
  if (whole === '\u001bc') clear(grid)
}

type Move = (grid: Grid, count: number, numbers: readonly number[]) => void

const moves: Readonly<Record<string, Move>> = {
  A: (grid, count) => (grid.row = Math.max(0, grid.row - count)),
  B: (grid, count) => (grid.row = Math.min(grid.rows - 1, grid.row + count)),
  C: (grid, count) => (grid.col = Math.min(grid.cols - 1, grid.col + count)),
  D: (grid, count) => (grid.col = Math.max(0, Math.min(grid.col, grid.cols - 1) - count)),
  E: (grid, count) => ([grid.row, grid.col] = [Math.min(grid.rows - 1, grid.row + count), 0]),
  F: (grid, count) => ([grid.row, grid.col] = [Math.max(0, grid.row - count), 0]),
  G: (grid, count) => (grid.col = Math.min(grid.cols, count) - 1),
  d: (grid, count) => (grid.row = Math.min(grid.rows, count) - 1),
  H: (grid, count, [, col = 1]) => {
    grid.row = Math.min(grid.rows, count) - 1
    grid.col = Math.min(grid.cols, Math.max(1, col)) - 1
  },
}

type Edit = (grid: Grid, count: number, mode: number) => void

const edits: Readonly<Record<string, Edit>> = {
  J(grid, _count, mode) {
    if (mode >= 2) grid.cells = grid.cells.map(() => blankRow(grid))
    else for (let row = 0; row < grid.rows; row++) eraseBeside(grid, row, mode)
  },
  K(grid, _count, mode) {
    const [from, to] = mode === 0 ? [grid.col, grid.cols] : mode === 1 ? [0, grid.col + 1] : [0, grid.cols]
    grid.cells[grid.row]!.fill(' ', from, to)
  },
  X: (grid, count) => grid.cells[grid.row]!.fill(' ', grid.col, grid.col + count),
  P: (grid, count) => shift(grid, (cells) => [...cells.slice(0, grid.col), ...cells.slice(grid.col + count)]),
  '@': (grid, count) =>
    shift(grid, (cells) => [...cells.slice(0, grid.col), ...' '.repeat(count), ...cells.slice(grid.col)]),
  L: (grid, count) => insertRows(grid, grid.row, count),
  M: (grid, count) => removeRows(grid, grid.row, count),
  S: (grid, count) => removeRows(grid, 0, count),
  T: (grid, count) => insertRows(grid, 0, count),
}

/** Mode 0: from the cursor on; 1: up to it. */
function eraseBeside(grid: Grid, row: number, mode: number): void {
  if (row === grid.row) return edits['K']!(grid, 1, mode)
  if (mode === 0 ? row > grid.row : row < grid.row) grid.cells[row] = blankRow(grid)
}

function shift(grid: Grid, change: (cells: readonly string[]) => string[]): void {
  const changed = [...change(grid.cells[grid.row]!), ...blankRow(grid)]
  grid.cells[grid.row] = changed.slice(0, grid.cols)
}

function insertRows(grid: Grid, at: number, count: number): void {
  const fresh = Array.from({ length: count }, () => blankRow(grid))
  grid.cells = [...grid.cells.slice(0, at), ...fresh, ...grid.cells.slice(at)].slice(0, grid.rows)
}

function removeRows(grid: Grid, at: number, count: number): void {
  const left = [...grid.cells.slice(0, at), ...grid.cells.slice(at + count)]
  grid.cells = [...left, ...Array.from({ length: grid.rows - left.length }, () => blankRow(grid))]
}

function clear(grid: Grid): void {
  grid.cells = Array.from({ length: grid.rows }, () => blankRow(grid))
  grid.row = 0
  grid.col = 0
}

function blankRow({ cols }: Grid): string[] {
  return Array.from({ length: cols }, () => ' ')
}
