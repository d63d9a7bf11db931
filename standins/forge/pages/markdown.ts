import MarkdownIt from 'markdown-it'
import { Html, markup, plain } from './html.ts'

const mark = { begin: '<!-- platform:', end: ' -->' }

/** Marks of a program at the end of its text: forges show none. By no pattern: one of many blanks takes minutes. */
function withoutMarks(text: string): string {
  for (let left = text.trimEnd(); ;) {
    const at = left.endsWith(mark.end) ? left.lastIndexOf(mark.begin) : -1
    if (at < 0 || /[\s<>]/.test(left.slice(at + mark.begin.length, -mark.end.length))) return left
    left = left.slice(0, at).trimEnd()
  }
}

/** The parser drops what is nested deeper, and nobody would see it: such a text is shown as it is. */
const maxNesting = 50
const deep = new RegExp(`^[ \\t>*+\\-\\d.)]{${maxNesting},}\\S`, 'm')

const parser = new MarkdownIt({ html: false, maxNesting }).disable('image')
/** Of HTML what the bot writes: it folds and shrinks, has no attributes, and ends with its text. Code left open would not. */
const folding = /&lt;(\/?(?:details|summary|sub))&gt;/g
const code = /&lt;code&gt;([^&]*)&lt;\/code&gt;/g
const { rules } = parser.renderer
/** Unfolded: who approves a plan has it before their eyes. */
rules['text'] = (tokens, at) =>
  parser.utils
    // Here entities are characters already.
    .escapeHtml(plain(tokens[at]?.content ?? ''))
    .replace(folding, '<$1>')
    .replaceAll('<details>', '<details open>')
    .replace(code, '<code>$1</code>')
parser.validateLink = (address) => /^(?:https?:\/\/|mailto:)/i.test(address)

/**
 * Nothing of the text becomes markup of its own, loads anything or leads to a script. A link to a page of the forge leads
 * to the same page below `base`.
 */
export function renderMarkdown(
  source: string,
  { origin, base }: { readonly origin: string; readonly base: string },
): Html {
  if (deep.test(source)) return markup`<pre>${source}</pre>`
  const tokens = parser.parse(withoutMarks(plain(source)), {})
  for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')) {
    const address = String(link.attrGet('href'))
    if (address.startsWith(`${origin}/`)) link.attrSet('href', `${base}${address.slice(origin.length)}`)
    const title = link.attrGet('title')
    if (title !== null) link.attrSet('title', plain(String(title)))
    link.attrSet('rel', 'noreferrer noopener')
  }
  return new Html(`<div class="md">${parser.renderer.render(tokens, parser.options, {})}</div>`)
}
