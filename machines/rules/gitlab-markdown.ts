/**
 * What GitLab displays otherwise than CommonMark: quotes and alerts of several lines between fences of `>>>`, and front matter
 * (docs.gitlab.com, "GitLab Flavored Markdown"; the fences as comrak's `multiline_block_quotes` reads them).
 */
import type MarkdownIt from 'markdown-it'
import type { StateBlock } from 'markdown-it'
import { alertMarker } from './markdown-doubts.ts'

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
  const title = titleAt(state, from)
  const length = title?.fence ?? fenceAt(state, from)
  if (length < 3) return false
  if (silent) return true
  const close = closingLine(state, from + 1, end, length)
  const { lineMax, parentType } = state
  const open = state.push('blockquote_open', 'blockquote', 1)
  open.markup = '>>>'
  open.map = [from, close]
  state.lineMax = close
  state.parentType = 'blockquote'
  if (title) pushParagraph(state, from, title.text)
  state.md.block.tokenize(state, from + 1, close)
  state.push('blockquote_close', 'blockquote', -1).markup = '>>>'
  Object.assign(state, { lineMax, parentType, line: Math.min(close + 1, end) })
  return true
}

function pushParagraph(state: StateBlock, line: number, text: string): void {
  state.push('paragraph_open', 'p', 1)
  Object.assign(state.push('inline', '', 0), { content: text, children: [], map: [line, line + 1] })
  state.push('paragraph_close', 'p', -1)
}

/** A fence that nobody closes goes on to the end of what it stands in. */
function closingLine(state: StateBlock, from: number, end: number, length: number): number {
  for (let line = from; line < end; line += 1) {
    if (!state.isEmpty(line) && state.sCount[line]! < state.blkIndent) return line
    if (fenceAt(state, line) >= length) return line
  }
  return end
}

/** More `>` than this or more blanks behind them begin no alert, so that no line is read again for each of its `>`. */
const alertFence = /^(>{3,100})[ \t]{0,100}/
const longestFence = 200

/** Of an alert: its marker stands behind the fence, perhaps before a title (docs.gitlab.com, "Alerts"). */
function titleAt(state: StateBlock, line: number): { readonly fence: number; readonly text: string } | undefined {
  if (state.sCount[line]! - state.blkIndent >= 4) return undefined
  const from = state.bMarks[line]! + state.tShift[line]!
  const [opening = '', fence = ''] = alertFence.exec(state.src.slice(from, from + longestFence)) ?? []
  const text = state.src.slice(from + opening.length, state.eMarks[line]).trim()
  return alertMarker.test(text) ? { fence: fence.length, text } : undefined
}

/** How many `>` a line is made of; 0: of anything else, or it is indented like code. */
function fenceAt(state: StateBlock, line: number): number {
  if (state.sCount[line]! - state.blkIndent >= 4) return 0
  const from = state.bMarks[line]! + state.tShift[line]!
  const end = state.skipSpacesBack(state.eMarks[line]!, from)
  if (end === from || state.src[end - 1] !== '>') return 0
  return /^>+$/.test(state.src.slice(from, end)) ? end - from : 0
}
