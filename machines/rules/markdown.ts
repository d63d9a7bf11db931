/** Markdown as HTML, as CommonMark and the tables and strikethrough of GFM render it (decisions/0022). */
import MarkdownIt, { type Token } from 'markdown-it'

export interface Rendered {
  readonly html: string
  /** Source lines that a quote takes in although nobody marked them with `>` (CommonMark, "Laziness"). */
  readonly lazyLines: readonly string[]
  /** What is displayed may differ between forges, or from this HTML. */
  readonly isUncertain: boolean
}

/** The parser drops what is nested deeper; cmark renders it. */
const maxNesting = 100
const parser = new MarkdownIt('commonmark', { maxNesting }).enable(['table', 'strikethrough'])

export function renderMarkdown(source: string): Rendered {
  const env = {}
  const tokens = parser.parse(source, env)
  for (const token of tokens) if (token.type === 'heading_open') markHeading(token)
  const rendered = parser.renderer.render(tokens, parser.options, env)
  const html = rendered.replace(disallowed, '&lt;')
  return {
    html,
    lazyLines: lazyLinesOf(source, tokens),
    isUncertain: html !== rendered || hasFootnote(env) || tokens.some(isUncertain),
  }
}

/** Unlike an underlined one, a heading behind `#` does not start with its words: its line is doubtful (`shown-lines.ts`). */
function markHeading(heading: Token): void {
  if (heading.markup.startsWith('#')) heading.attrSet('class', 'marked')
}

/** GFM, "Disallowed Raw HTML": forges that filter show these as text, others drop what stands in them. */
const disallowed = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?![\w-]))/gi

function lazyLinesOf(source: string, tokens: readonly Token[]): readonly string[] {
  const quotes = tokens.filter(({ type, level }) => type === 'blockquote_open' && level < maxNesting)
  if (quotes.length === 0) return []
  const lines = source.split(/\r\n?|\n/)
  const lazy = new Set<number>()
  let covered = 0
  for (const { map } of quotes) {
    const [first, end] = map ?? [0, 0]
    // Nested quotes lie within the outer one, which was looked at: each line is visited once.
    for (let at = Math.max(first + 1, covered); at < end; at += 1)
      if (!/^[ \t]*>/.test(lines[at] ?? '')) lazy.add(at)
    covered = Math.max(covered, end)
  }
  return [...lazy].map((at) => lines[at] ?? '')
}

/** `[^a]: x` is a definition of a link to CommonMark, and a footnote to GitHub. */
function hasFootnote({ references = {} }: { readonly references?: Readonly<Record<string, unknown>> }): boolean {
  return Object.keys(references).some((label) => label.startsWith('^'))
}

/** Footnotes of several words, `~struck~` and `$$math$$` are GitHub's own; too deep nesting is the parser's limit. */
const beyondGfm = /^\[\^[^\]\s]+\]:|\$\$|(?<!~)~[^\s~](?:[^~]*[^\s~])?~(?!~)/m

function isUncertain({ type, level, content }: Token): boolean {
  if (level >= maxNesting - 1) return true
  return type === 'inline' && (beyondGfm.test(content) || openBrackets(content) >= maxNesting)
}

function openBrackets(content: string): number {
  let [open, most] = [0, 0]
  for (const bracket of content.match(/[[\]]/g) ?? []) {
    open = bracket === '[' ? open + 1 : Math.max(0, open - 1)
    most = Math.max(most, open)
  }
  return most
}
