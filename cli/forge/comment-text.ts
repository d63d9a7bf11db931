/** A comment of a forge on a terminal: nothing of it is hidden, and nothing of it is a line of ours. */
import { withoutMarkers } from '../../edges/forge/marker.ts'

const opening = /^\s*(?:<details>\s*)?<summary>(.*?)<\/summary>\s*$/i
const bare = /^\s*<\/?details>\s*$/i
const fence = /^\s*(?:```|~~~)/

/** Indented; what a page folds is unfolded. */
export function commentLines(body: string): readonly string[] {
  const lines: string[] = []
  let isCode = false
  for (const line of withoutMarkers(body).split(/\r?\n/)) {
    if (fence.test(line)) isCode = !isCode
    if (!isCode && (bare.test(line) || (line.trim() === '' && lines.at(-1) === ''))) continue
    lines.push(isCode ? line : unfolded(line))
  }
  return lines.map((line) => `  ${line}`.trimEnd()).slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

function unfolded(line: string): string {
  const [, title] = opening.exec(line) ?? []
  const shown = title === undefined ? line : title.replaceAll(/<\/?code>/gi, '')
  // As the platform writes them in a plan, where they may not close its block.
  return shown.trim() === '' ? '' : shown.replaceAll(/&lt;(\/?)(details|summary)/gi, '<$1$2')
}
