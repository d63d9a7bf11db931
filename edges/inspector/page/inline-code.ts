import { h, type ComponentChildren } from 'preact'

/** As many backticks as before it end a piece of code (CommonMark 0.31, section 6.1). */
const code = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/

/** Inline code of Markdown as code. All else stays text, so nothing that somebody wrote becomes markup. */
export function inlineCode(text: string): ComponentChildren {
  if (!text.includes('`')) return text
  // Around each piece of code stand its backticks and the text before it.
  return text.split(code).map((part, index) => {
    if (index % 3 === 0) return part
    return index % 3 === 1 ? null : h('code', null, part.replace(/^ (.+) $/, '$1'))
  })
}
