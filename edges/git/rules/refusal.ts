/** The words in which a push is refused for what the merge would make of its base. The way out stands first: what shows them may cut them. */
import type { MergeJudgement, TouchedPath } from '../../ports/merge-judge.ts'

/** undefined: it may go on. `base`: the branch's name. */
export function refusalFor(judgement: MergeJudgement, base: string): string | undefined {
  const mergeFirst = `merge ${shown(base)} first (git merge origin/${shown(base)})`
  switch (judgement.kind) {
    case 'clean':
      return undefined
    case 'protected':
      return `protected paths: do not change them, or ask a maintainer to comment /allow-ci-changes and submit the work again. Changed: ${reasoned(judgement.paths)}`
    case 'behind':
      return `${mergeFirst}: protected paths have changed there since. Still old here: ${reasoned(judgement.paths)}`
    case 'conflict':
      return `${mergeFirst}: ${judgement.reason}, so nobody can tell what the merge makes of it. Conflicts: ${listed(judgement.paths.map(shown))}`
    case 'unreadable':
      return `the git gateway cannot tell what the merge makes of ${shown(base)}: ${judgement.reason}. A maintainer must comment /allow-ci-changes`
  }
}

/** Paths are the pod's words: one line, and short. */
export function shown(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, 120)
}

const mostShown = 5

function reasoned(touched: readonly TouchedPath[]): string {
  const byReason = Map.groupBy(touched.slice(0, mostShown), ({ reason }) => reason)
  const groups = [...byReason].map(([reason, of]) => `${of.map(({ path }) => shown(path)).join(', ')} (${reason})`)
  return `${groups.join('; ')}${moreOf(touched)}`
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, mostShown).join(', ')}${moreOf(names)}`
}

function moreOf({ length }: readonly unknown[]): string {
  return length > mostShown ? ` and ${length - mostShown} more` : ''
}
