/** Running text of Markdown, reStructuredText and comments: what is markup, code, a table or a heading is left out. */

export interface Block {
  /** On one line, without markup; names of code stand between backticks. */
  readonly text: string
  /** Indented as code is: only what ends as a sentence does is one. */
  readonly isIndented: boolean
}

const fence = /^\s*(?:```+|~~~+)\s*([^`\s]*)/
/** Also what a forge displays as a list of tasks. */
const listMark = /^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s+)?/
const quoteMark = /^\s*(?:>\s?)+(?:\[![A-Z]+\]\s*)?/
const heading = /^\s*#{1,6}\s/
/** Of a heading that stands in the line before, or between parts. */
const rule = /^\s*([-=~^"'*_#+.:])\1{2,}\s*$/
const tableLine = /^\s*[|+].*[|+]\s*$|^\s*[=-]{2,}(?:\s+[=-]{2,})+\s*$|\S\s+\|\s+\S.*\|/
/** Directives and targets of reStructuredText, targets of Markdown, tags of comments. */
const notText = /^\s*(?:\.\.\s|\.\.$|\[[^\]]+\]:\s|:[\w -]+(?: [\w*.]+)?:(?:\s|$)|@\w+\b)/
/** What stands deeper below one of these is no text; below a note it is. */
const opensCode =
  /^\s*(?:\.\. (?!(?:note|warning|tip|hint|important|caution|danger|seealso|versionadded|versionchanged|deprecated)::)[\w:-]+::|(?!\.\. ).*[^:\s]::\s*$)/
/** An entry of a table of contents. */
const onlyLink = /^\[[^\]]{0,200}\]\([^)]*\)$/
const indented = /^(?: {4}|\t)/

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: string[] = []
  const close = (): void => {
    const [first = ''] = open
    const line = open.map((each) => each.trim()).join(' ')
    if (open.length > 0 && !notText.test(first) && !onlyLink.test(line)) {
      blocks.push({ text: withoutMarks(line), isIndented: open.every((each) => indented.test(each)) })
    }
    open = []
  }
  for (const line of withoutLiterals(linesOutsideFences(text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')))) {
    const bare = line.replace(quoteMark, '')
    if (rule.test(bare)) {
      // What it underlines is a heading; below several lines it parts them from what follows.
      if (open.length === 1) open = []
      close()
    } else if (bare.trim() === '' || heading.test(bare) || tableLine.test(bare)) close()
    else if (listMark.test(bare)) {
      close()
      open.push(bare.replace(listMark, ''))
    } else {
      if (notText.test(bare)) close()
      open.push(bare)
    }
  }
  close()
  return blocks
}

/** Code that reStructuredText shows by a directive, or by two colons at the end of a line. */
function withoutLiterals(lines: readonly string[]): string[] {
  let depth: number | undefined
  return lines.map((line) => {
    const own = line.search(/\S/)
    if (depth !== undefined && own > depth) return ''
    if (own >= 0) depth = opensCode.test(line) ? own : undefined
    return line
  })
}

/** A passage may begin inside of a fence: what stands before a lone end is code. */
function linesOutsideFences(text: string): string[] {
  const lines = text.split('\n')
  const marks = lines.flatMap((line) => fence.exec(line)?.[1] ?? [])
  let isInside = beginsInside(marks)
  return lines.map((line) => {
    const language = fence.exec(line)?.[1]
    if (language === undefined) return isInside ? '' : line
    isInside = language !== '' || !isInside
    return ''
  })
}

/** A fence that names a language opens; so a bare one that another follows too early, or nothing, was an end. */
function beginsInside(languages: readonly string[]): boolean {
  const named = languages.findIndex((language) => language !== '')
  const before = named < 0 ? languages.length : named
  return before % 2 === 1
}

/** What a pair of marks may enclose is bounded: a text of nothing but marks must not cost its square. */
function withoutMarks(line: string): string {
  return line
    .replaceAll(/!\[[^\]]{0,200}\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replaceAll(/(?<!`)\[([^\]]{1,200})\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/(?<!`)<\/?[a-zA-Z][^<>`]*>(?!`)/g, '')
    .replaceAll(/`([^`<]+?)\s*<[^<>`]+>`__?/g, '$1')
    .replaceAll(/,?\s*:(?:issue|pr|pull|commit|user):`[^`]+`/g, '')
    .replaceAll(/:[\w+-]{1,20}(?::[\w+-]{1,20})?:`~?([^`]+)`/g, '`$1`')
    .replaceAll(/``([^`]+)``/g, '`$1`')
    .replaceAll(/`([^`]+)`__?(?!\w)/g, '$1')
    .replaceAll(/(?<![\w*])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*(?![\w*])/g, '$1')
    .replaceAll(/(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/g, '$1')
    .replaceAll(/(?<!\w)__([^\s_](?:[^_]*[^\s_])?)__(?!\w)/g, '$1')
    .replaceAll(/(?<!\w)_([^\s_](?:[^_]*[^\s_])?)_(?!\w)/g, '$1')
    .replace(/^\[[A-Z]+\]\s+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
