/**
 * What a comment says, by another route: the reference implementation of CommonMark (or micromark, for GFM) renders it,
 * and a reader of tags goes over the text. It shares no parser and no code with `machines/rules`.
 */
import { HtmlRenderer, Parser } from 'commonmark'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { readTags, type Element, type Piece } from './tags.ts'

export interface Reading {
  readonly said: readonly string[]
  /** In no order: what may withdraw only. */
  readonly doubtful: readonly string[]
}

/** As the specification has it. */
export function commonMarkHtml(source: string): string {
  return new HtmlRenderer().render(new Parser().parse(source))
}

export function readCommonMark(given: string): Reading {
  // A line feed of an entity is a blank, and in HTML nobody can tell it from others.
  const source = given.replaceAll('&#10;', ' ')
  const html = new HtmlRenderer({ sourcepos: true }).render(new Parser().parse(source))
  return readingOf(html, source)
}

/** Tables and strikethrough too. Its HTML has no positions: headings behind `#` and lazy lines are not for it. */
export function readGfm(source: string): Reading {
  const html = micromark(source, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  return readingOf(html, source)
}

const silent = ['blockquote', 'pre', 'code', 'kbd', 'details']
const trusted = ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'em', 'strong', 'a', 'b', 'i', 'div', 'br']

function readingOf(html: string, source: string): Reading {
  const sourceLines = source.split('\n')
  const { pieces, isSwallowed } = readTags(html)
  const said: string[] = []
  const doubtful: string[] = []
  const begun = new Set<Element>()
  for (const line of linesOf(pieces)) {
    const shown = plain(line.map((piece) => piece.text).join(''))
    if (shown === '') continue
    const items = line.flatMap(({ within }) => within).filter(({ name }) => name === 'li')
    const isFirst = items.some((item) => !begun.has(item))
    const isSure =
      !isSwallowed && !isFirst && !startsWithGap(line) && line.every((piece) => isTrusted(piece, sourceLines))
    const text = isFirst ? shown.replace(/^\[[ x]\] /i, '') : shown
    for (const item of items) begun.add(item)
    const into = isSure ? said : doubtful
    into.push(text)
  }
  return { said, doubtful: [...doubtful, ...lazyLines(html, sourceLines)].toSorted() }
}

/** Words between two ends of lines; what is silent leaves a gap in its line. */
function linesOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]]
  for (const piece of pieces) {
    if (isSilent(piece)) {
      if (!piece.isBlock) lines.at(-1)?.push({ text: ' ', within: [], isBlock: false, isGap: true })
      else if (piece.text.trim() !== '') lines.push([])
    } else if (piece.isBlock) lines.push([])
    else
      for (const [index, text] of piece.text.split('\n').entries()) {
        if (index > 0) lines.push([])
        lines.at(-1)?.push({ ...piece, text })
      }
  }
  return lines
}

function isSilent({ within }: Piece): boolean {
  return within.some(
    (element, at) => silent.includes(element.name) && element.isClosed && !isDisplayed(element, within[at + 1]),
  )
}

const summaries = new WeakMap<Element, Element>()

/** Details that are open, and of others the first summary. Asked in the order of the text. */
function isDisplayed(details: Element, child: Element | undefined): boolean {
  if (details.name !== 'details' || details.isOpen === true) return details.name === 'details'
  if (child?.name === 'summary' && !summaries.has(details)) summaries.set(details, child)
  return child !== undefined && summaries.get(details) === child
}

function isTrusted({ within, text }: Piece, source: readonly string[]): boolean {
  if (text.trim() === '') return true
  return within.every(({ name, position, isStyled }) => {
    const [line = 0, column = 0] = (position ?? '').split(/[:-]/).map(Number)
    return !isStyled && trusted.includes(name) && !(/^h\d$/.test(name) && source[line - 1]?.[column - 1] === '#')
  })
}

function startsWithGap(line: readonly Piece[]): boolean {
  return line.find(({ isGap, text }) => isGap === true || text.trim() !== '')?.isGap === true
}

/** Lines within a quote that have no `>`. */
function lazyLines(html: string, source: readonly string[]): readonly string[] {
  const found = new Set<number>()
  for (const [, from, to] of html.matchAll(/<blockquote data-sourcepos="(\d+):\d+-(\d+):\d+">/g))
    for (let line = Number(from) + 1; line <= Number(to); line += 1)
      if (!(source[line - 1] ?? '').trim().startsWith('>')) found.add(line)
  return [...found].map((line) => plain(source[line - 1] ?? '')).filter((line) => line !== '')
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
