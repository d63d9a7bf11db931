/** Markdown as HTML, as CommonMark and the tables and strikethrough of GFM render it (decisions/0022). */
import MarkdownIt from 'markdown-it'
import { addFencedQuotes, withoutFrontMatter } from './gitlab-markdown.ts'
import { countOf } from './html-tree.ts'
import {
  isReadOtherwise,
  isReadTooOften,
  alertsOf,
  lazyLinesOf,
  type Parsed,
  type References,
} from './markdown-doubts.ts'

export interface Rendered {
  readonly html: string
  /** Source lines that are displayed as a quote or as code, and that their author perhaps says himself. */
  readonly lazyLines: readonly string[]
  /** The HTML of what stands in each. */
  readonly alerts: readonly string[]
  /** A forge may display something else. */
  readonly isUncertain: boolean
}

/** The parser drops what is nested deeper, cmark does not. */
const maxNesting = 100
type Parser = InstanceType<typeof MarkdownIt>

const lineFeedEntity = /&(?:#0*10(?!\d);?|#x0*a(?![\da-f]);?|NewLine;)/gi
const parser = createParser()
const gitlabParser = createParser()
addFencedQuotes(gitlabParser)

function createParser(): Parser {
  const made = new MarkdownIt('commonmark', { maxNesting }).enable(['table', 'strikethrough'])
  const { rules } = made.renderer
  /** GitHub's element: a browser lets `<s>` run on behind a block that ends the paragraph. */
  rules['s_open'] = () => '<del>'
  rules['s_close'] = () => '</del>'
  /** In a tight list the parser sets it right behind the text of the line before. */
  rules['html_block'] = (tokens, at) => `\n${withoutLineFeeds(tokens[at]?.content ?? '')}`
  /** An entity is no end of a line: a forge shows it as a blank. Here all line feeds of the source are breaks by now. */
  rules['text'] = (tokens, at) => made.utils.escapeHtml((tokens[at]?.content ?? '').replaceAll('\n', ' '))
  rules['html_inline'] = (tokens, at) => withoutLineFeeds(tokens[at]?.content ?? '')
  return made
}

function withoutLineFeeds(html: string): string {
  return html.replace(lineFeedEntity, ' ')
}

/** As GitLab displays it. */
export function renderGitlabMarkdown(source: string): Rendered {
  return renderMarkdown(withoutFrontMatter(source), gitlabParser)
}

export function renderMarkdown(source: string, by: Parser = parser): Rendered {
  const env: { references?: References } = {}
  const lines = source.split(/\r\n?|\n/)
  if (isReadTooOften(lines)) return { html: '', lazyLines: [], alerts: [], isUncertain: true }
  const tokens = by.parse(source, env)
  markHeadings(tokens)
  const parsed = { lines, tokens, references: env.references ?? {} }
  const lazyLines = lazyLinesOf(parsed)
  const isPasted = isPage(tokens)
  const htmlOf = (shown: Parsed['tokens']): string => by.renderer.render([...shown], by.options, env)
  const alerts = alertsOf(parsed).map((alert) =>
    allowed(htmlOf(isPasted ? alert.filter(({ type }) => type !== 'html_block') : alert)),
  )
  if (isPasted) return { html: '', lazyLines, alerts, isUncertain: true }
  const rendered = htmlOf(tokens)
  const html = allowed(rendered)
  return {
    html,
    lazyLines,
    alerts,
    isUncertain: html !== rendered || isReadOtherwise(parsed, maxNesting),
  }
}

/**
 * A page that was pasted. To this parser a block of HTML is one text, read in 4 ns a character; to an HTML parser each
 * character costs 60 ns, and each tag a microsecond.
 */
const longestBlocks = 32_768
const mostTagsInBlocks = 1_000

function isPage(tokens: Parsed['tokens']): boolean {
  let [characters, tags] = [0, 0]
  for (const { type, content } of tokens) {
    if (type !== 'html_block') continue
    characters += content.length
    tags += countOf('<', content)
  }
  return characters > longestBlocks || tags > mostTagsInBlocks
}

/** Unlike an underlined one, a heading behind `#` does not start with its words: its line is doubtful (`shown-lines.ts`). */
function markHeadings(tokens: Parsed['tokens']): void {
  for (const token of tokens) if (token.markup.startsWith('#')) token.attrSet('class', 'marked')
}

/** GFM, "Disallowed Raw HTML": forges that filter show these as text, others drop what stands in them. */
function allowed(html: string): string {
  return html.replace(disallowed, '&lt;')
}

const disallowed = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?![\w-]))/gi
