import type { ForgeSubjectKind } from './port.ts'
import type { Provider } from './projects.ts'

/** In backticks or bare, and no part of a path; with what reasons add for people whose forge they do not know. */
const approve = /(?:`\/approve`|(?<![\w/`])\/approve(?![\w/-]))(?: \(GitLab: `?approve`?\))?/g

/**
 * What people are asked to write, as their forge lets them. GitLab takes its own commands out of a comment and keeps none of
 * which nothing is left (docs.gitlab.com, "GitLab quick actions"): on an issue `/approve` reaches nobody. The word alone, on a line of its
 * own, approves as well (WORDS). On a merge request GitLab obeys it, and its approval counts.
 */
export function inWordsOf(provider: Provider, on: ForgeSubjectKind, text: string): string {
  if (provider !== 'forge_b' || on !== 'issue') return text
  let isFirst = true
  return text.replaceAll(approve, () => {
    const words = isFirst ? '`approve` (a line of its own)' : '`approve`'
    isFirst = false
    return words
  })
}
