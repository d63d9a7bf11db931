/** GitHub takes 65,536 characters a text, GitLab 1,000,000 a comment: what is longer becomes several texts, in order. */
import { inert } from '../../../machines/rules/executed-text.ts'

/** Leaves room for our marks, a headline and what `inert` adds at a cut. */
export const longestText = 64_000

/** Cut at the ends of lines where that is possible. A cut may begin a line, where a forge reads commands. */
export function textsOf(words: string, longest = longestText): readonly string[] {
  const texts: string[] = []
  let rest = words
  while (rest.length > longest) {
    const at = cutOf(rest, longest)
    texts.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return texts.length === 0 ? [rest] : [...texts, rest].map(inert)
}

function cutOf(text: string, longest: number): number {
  const lineEnd = text.lastIndexOf('\n', longest - 1) + 1
  if (lineEnd > longest / 2) return lineEnd
  return /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
}
