/**
 * About 40 lines of code or four paragraphs: small enough that a hit says where, large enough that the words of one
 * subject stand together.
 */
const longestChunk = 1_600

/** Pieces of at most `longestChunk` characters, cut where the text itself is cut: paragraphs, lines, words. */
export function chunksOf(text: string): string[] {
  const chunks: string[] = []
  let open = ''
  for (const piece of piecesOf(text)) {
    if (open !== '' && open.length + piece.length > longestChunk) {
      chunks.push(open)
      open = ''
    }
    open += piece
  }
  if (open !== '') chunks.push(open)
  const written = chunks.map((chunk) => chunk.replace(/^\n+/, '').trimEnd()).filter((chunk) => chunk.trim() !== '')
  return written.length > 0 ? written : [text]
}

/** Paragraphs; those that are too long in lines; lines that are too long in words; words that are too long anywhere. */
function piecesOf(text: string): string[] {
  return divide(text, [/(?<=\n[ \t]*\n)/, /(?<=\n)/, /(?<=\s)/])
}

function divide(text: string, [cut, ...finer]: readonly RegExp[]): string[] {
  if (text.length <= longestChunk) return [text]
  if (cut === undefined) return slices(text)
  return text.split(cut).flatMap((piece) => divide(piece, finer))
}

/** Never between the halves of a character beyond the basic plane. */
function slices(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    const to = from + longestChunk
    const splitsPair = to < text.length && isHighSurrogate(text.charCodeAt(to - 1))
    pieces.push(text.slice(from, splitsPair ? to - 1 : to))
    from = splitsPair ? to - 1 : to
  }
  return pieces
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff
}
