/** Goes over HTML tag by tag and keeps which elements are open, as far as the generated comments need it. */
export interface Element {
  readonly name: string
  /** `data-sourcepos`, where the element comes from Markdown. */
  readonly position: string | undefined
  /** It has an attribute that may hide it. */
  readonly isStyled: boolean
  readonly isOpen?: boolean
  /** By its own tag. */
  isClosed: boolean
}

export interface Piece {
  readonly text: string
  within: readonly Element[]
  /** Ends a line, and has no words. */
  readonly isBlock: boolean
  /** Something silent or an image stood here within a line. */
  readonly isGap?: boolean
}

const blocks = /^(?:p|div|h[1-6]|ul|ol|li|blockquote|pre|details|summary|table|thead|tbody|tr|td|th|br|hr|section)$/
/** They go on after a paragraph that they were opened in (HTML, "active formatting elements"). */
const formatting = /^(?:code|b|i|em|strong|s|a)$/
const empty = /^(?:br|hr|img|input)$/
/** An end tag looks no further up than these. */
const walls = /^(?:table|td|th)$/

const token =
  /<!-->|<!--->|<!--[\s\S]*?-->|<!--[\s\S]*|<[?!][^>]*>|<\/?[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^'">])*>|<\/?[a-z][\s\S]*/gi
/** GFM shows the tags of these as text. */
const disallowed = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)\b)/gi

export function readTags(html: string): { readonly pieces: readonly Piece[]; readonly isSwallowed: boolean } {
  const shown = html.replaceAll(disallowed, '&lt;')
  const reader = new Reader()
  reader.isSwallowed = shown !== html
  let at = 0
  for (const match of shown.matchAll(token)) {
    reader.text(shown.slice(at, match.index))
    at = match.index + match[0].length
    if (match[0].startsWith('<!--')) reader.isSwallowed ||= !match[0].endsWith('-->')
    else if (!match[0].endsWith('>')) reader.isSwallowed = true
    else if (match[0].startsWith('</')) reader.end(nameOf(match[0]))
    else if (/^<[a-z]/i.test(match[0])) reader.start(match[0])
  }
  reader.text(shown.slice(at))
  return reader
}

function nameOf(tag: string): string {
  return /^<\/?([^\s/>]+)/.exec(tag)?.[1]?.toLowerCase() ?? ''
}

class Reader {
  readonly pieces: Piece[] = []
  isSwallowed = false
  #open: Element[] = []
  /** Formatting that a paragraph's end closed: it opens again before the next words. */
  #again: Element[] = []

  text(encoded: string): void {
    if (encoded === '') return
    this.#reopen()
    this.#put(decode(encoded))
  }

  start(tag: string): void {
    const name = nameOf(tag)
    if (blocks.test(name) && name !== 'br') this.#closeParagraph()
    else this.#reopen()
    if (name === 'img' || name === 'input') this.#put(' ', false, true)
    if (empty.test(name)) return blocks.test(name) ? this.#put('', true) : undefined
    const position = /data-sourcepos="([^"]*)"/.exec(tag)?.[1]
    this.#open.push({
      name,
      position,
      isStyled: /\s(?:hidden|style|class)\b/i.test(tag),
      isOpen: /\sopen\b/i.test(tag),
      isClosed: false,
    })
    if (blocks.test(name)) this.#put('', true)
  }

  end(name: string): void {
    const stops = blocks.test(name) || formatting.test(name) ? walls : blocks
    const wall = this.#open.findLastIndex((element) => stops.test(element.name) && element.name !== name)
    const at = this.#open.findLastIndex((element) => element.name === name)
    const again = this.#again.findLastIndex((element) => element.name === name)
    if (at > wall) this.#close(at, name)
    else if (again >= 0) this.#again.splice(again, 1)
    // An end tag of nothing is no tag, but for this one.
    if (blocks.test(name) && (at > wall || name === 'p')) this.#put('', true)
  }

  /** Formatting is taken out alone; anything else takes with it what was opened within. */
  #close(at: number, name: string): void {
    const element = this.#open[at]
    if (element) element.isClosed = true
    const block = this.#open.slice(at).find((each) => blocks.test(each.name))
    if (!element || !block || !formatting.test(name)) return this.#truncate(at)
    this.#cloneInto(block, element)
    this.#open.splice(at, 1)
  }

  /** Within a block that was opened later it is a copy, which no tag closed (HTML, "adoption agency algorithm"). */
  #cloneInto(block: Element, element: Element): void {
    const copy = { ...element, isClosed: false }
    for (const piece of this.pieces)
      if (piece.within.includes(block)) piece.within = piece.within.map((each) => (each === element ? copy : each))
  }

  #closeParagraph(): void {
    const at = this.#open.findLastIndex(({ name }) => name === 'p')
    const wall = this.#open.findLastIndex(({ name }) => walls.test(name))
    if (at > wall) this.#truncate(at)
  }

  #truncate(at: number): void {
    const lost = this.#open.splice(at).filter(({ name, isClosed }) => formatting.test(name) && !isClosed)
    this.#again.push(...lost)
  }

  #reopen(): void {
    for (const { name, isStyled } of this.#again.splice(0))
      this.#open.push({ name, isStyled, position: undefined, isClosed: false })
  }

  #put(text: string, isBlock = false, isGap = false): void {
    this.pieces.push({ text, within: [...this.#open], isBlock, ...(isGap ? { isGap } : {}) })
  }
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&#47;', '/')
    .replaceAll('&amp;', '&')
}
