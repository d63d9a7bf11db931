/**
 * What GitLab displays otherwise than CommonMark: quotes of several lines between fences of `>>>`, and front matter
 * (docs.gitlab.com, "GitLab Flavored Markdown"; the fences as comrak's `multiline_block_quotes` reads them).
 */
import type MarkdownIt from 'markdown-it'
import type { StateBlock } from 'markdown-it'

type Parser = InstanceType<typeof MarkdownIt>

/** The first lines of a text, up to the delimiter that ends them. */
const frontMatter = /^\s*(---|\+\+\+|;;;)[^\r\n]*\r?\n(?:[\s\S]*?\r?\n)?\1[ \t]*(?=\r?\n|$)/

/** Whether GitLab may display another text than CommonMark. */
export function isReadByGitlab(source: string): boolean {
  return source.includes('>>>') || frontMatter.test(source)
}

/** It is displayed as code, which says nothing. */
export function withoutFrontMatter(source: string): string {
  return source.replace(frontMatter, '')
}

export function addFencedQuotes(parser: Parser): void {
  parser.block.ruler.before('blockquote', 'fenced_quote', fencedQuote, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
}

function fencedQuote(state: StateBlock, from: number, end: number, silent: boolean): boolean {
  const length = fenceAt(state, from)
  if (length < 3) return false
  if (silent) return true
  const close = closingLine(state, from + 1, end, length)
  const { lineMax, parentType } = state
  const open = state.push('blockquote_open', 'blockquote', 1)
  open.markup = '>>>'
  open.map = [from, close]
  state.lineMax = close
  state.parentType = 'blockquote'
  state.md.block.tokenize(state, from + 1, close)
  state.push('blockquote_close', 'blockquote', -1).markup = '>>>'
  Object.assign(state, { lineMax, parentType, line: Math.min(close + 1, end) })
  return true
}

/** A fence that nobody closes goes on to the end of what it stands in. */
function closingLine(state: StateBlock, from: number, end: number, length: number): number {
  for (let line = from; line < end; line += 1) {
    if (!state.isEmpty(line) && state.sCount[line]! < state.blkIndent) return line
    if (fenceAt(state, line) >= length) return line
  }
  return end
}

/** How many `>` a line is made of; 0: of anything else, or it is indented like code. */
function fenceAt(state: StateBlock, line: number): number {
  if (state.sCount[line]! - state.blkIndent >= 4) return 0
  const from = state.bMarks[line]! + state.tShift[line]!
  const end = state.skipSpacesBack(state.eMarks[line]!, from)
  if (end === from || state.src[end - 1] !== '>') return 0
  return /^>+$/.test(state.src.slice(from, end)) ? end - from : 0
}
