import { setState } from './issues.ts'
import { fullName, isPull, type Repository, type User } from './records.ts'
import type { World } from './world.ts'

const KEYWORD = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+\/[\w.-]+))?#(\d+)\b/gi

/** Numbers of this repository's issues that a text promises to close ("Closes #3", "fixes owner/name#3"). */
export function namedIssues(text: string, repository: string): number[] {
  const own = [...text.matchAll(KEYWORD)].filter(
    ([, other]) => other === undefined || other.toLowerCase() === repository.toLowerCase(),
  )
  return [...new Set(own.map(([, , number]) => Number(number)))]
}

export function closeNamedIssues(world: World, repository: Repository, actor: User, text: string): void {
  for (const number of namedIssues(text, fullName(repository))) {
    const issue = repository.issues.get(number)
    if (issue && !isPull(issue) && issue.state === 'open')
      setState(world, repository, actor, issue, 'closed', 'completed')
  }
}
