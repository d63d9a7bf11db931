/**
 * The lines of a comment that can decide something: NFKC, without HTML comments, details blocks, code (fenced,
 * indented, inline) and quoted lines (decisions.md "Approval grammar", rulings 4.7). Unclosed blocks run to the end,
 * as forges render them.
 */
export function decidingLines(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/\r\n?/g, '\n')
  const visible = withoutDetails(withoutFences(plain).replace(/<!--[\s\S]*?(?:-->|$)/g, ''))
  return withoutIndentedCode(visible.split('\n'))
    .filter((line) => !/^\s{0,3}>/.test(line))
    .map((line) =>
      line
        .replace(/(`+)[\s\S]*?\1/g, ' ')
        .replace(/\p{Cf}/gu, '')
        .trim(),
    )
    .filter((line) => line !== '')
}

/** Innermost first, so that what stands between two closing tags is not taken for visible. */
function withoutDetails(text: string): string {
  const inner = text.replace(/<details[\s>](?:(?!<details[\s>])[\s\S])*?<\/details\s*>/gi, '')
  return inner === text ? text.replace(/<details[\s>][\s\S]*$/i, '') : withoutDetails(inner)
}

/** A fence is closed by one at least as long of the same character (CommonMark). */
function withoutFences(text: string): string {
  let fence = ''
  const kept = text.split('\n').filter((line) => {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && marker === '') return true
    if (fence === '') fence = marker
    else if (marker.startsWith(fence)) fence = ''
    return false
  })
  return kept.join('\n')
}

/** Four blanks or a tab make code only after a blank line: within a paragraph they are a continuation. */
function withoutIndentedCode(lines: readonly string[]): readonly string[] {
  let code = true
  return lines.filter((line) => {
    const blank = line.trim() === ''
    const indented = /^(?: {4}|\t)/.test(line)
    code = blank || (code && indented)
    return !(code && !blank)
  })
}
