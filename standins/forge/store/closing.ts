import { setState } from './issues.ts'
import { fullName, isPull, type Repository, type User } from './records.ts'
import type { World } from './world.ts'

const KEYWORD =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:(?:(?<short>[\w.-]+\/[\w.-]+)?#|GH-)|https?:\/\/[\w.:-]+\/(?<whole>[\w.-]+\/[\w.-]+)\/issues\/)(?<number>\d+)\b/gi

/** Numbers of this repository's issues that a text promises to close ("Closes #3", "fixes owner/name#3", its address, "GH-3"). */
export function namedIssues(text: string, repository: string): number[] {
  const named = [...text.matchAll(KEYWORD)].map(({ groups = {} }) => groups)
  const own = named.filter(
    ({ short, whole = short }) => (whole ?? repository).toLowerCase() === repository.toLowerCase(),
  )
  return [...new Set(own.map(({ number }) => Number(number)))]
}

export function closeNamedIssues(world: World, repository: Repository, actor: User, text: string): void {
  for (const number of namedIssues(text, fullName(repository))) {
    const issue = repository.issues.get(number)
    if (issue && !isPull(issue) && issue.state === 'open')
      setState(world, repository, actor, issue, 'closed', 'completed')
  }
}
