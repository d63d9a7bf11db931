import MarkdownIt from 'markdown-it'
import { Html, plain } from './html.ts'

/** A mark of a program at the end of its text: forges show none. */
const marks = /(?:\s*<!-- platform:[^\s<>]+ -->)+\s*$/

const parser = new MarkdownIt({ html: false, maxNesting: 50 }).disable('image')
/** Of HTML what the bot writes: it folds and shrinks, has no attributes, and ends with its text. Code left open would not. */
const folding = /&lt;(\/?(?:details|summary|sub))&gt;/g
const code = /&lt;code&gt;([^&]*)&lt;\/code&gt;/g
const { rules } = parser.renderer
/** Unfolded: who approves a plan has it before their eyes. */
rules['text'] = (tokens, at) =>
  parser.utils
    .escapeHtml(tokens[at]?.content ?? '')
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
  const tokens = parser.parse(plain(source).replace(marks, ''), {})
  for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')) {
    const address = String(link.attrGet('href'))
    if (address.startsWith(`${origin}/`)) link.attrSet('href', `${base}${address.slice(origin.length)}`)
    link.attrSet('rel', 'noreferrer noopener')
  }
  return new Html(`<div class="md">${parser.renderer.render(tokens, parser.options, {})}</div>`)
}
