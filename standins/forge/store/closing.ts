import { setState } from './issues.ts'
import { atLeast, permissionOf } from './permissions.ts'
import { fullName, isPull, type Repository, type User } from './records.ts'
import type { World } from './world.ts'

const KEYWORD =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:(?:(?<short>[\w.-]+(?:\/[\w.-]+)+)?#|GH-)|https?:\/\/[\w.:-]+\/(?<whole>[\w.-]+(?:\/[\w.-]+)+?)(?:\/-)?\/issues\/)(?<number>\d+)\b/gi

interface NamedIssue {
  /** `owner/name`, in small letters. */
  readonly repository: string
  readonly number: number
}

/** Issues that a text in the repository promises to close ("Closes #3", "fixes owner/name#3", its address, "GH-3"). */
function issuesNamed(text: string, home: string): NamedIssue[] {
  const named = [...text.matchAll(KEYWORD)].map(({ groups = {} }) => ({
    repository: (groups['whole'] ?? groups['short'] ?? home).toLowerCase(),
    number: Number(groups['number']),
  }))
  return named.filter(
    (one, index) =>
      named.findIndex(({ repository, number }) => repository === one.repository && number === one.number) === index,
  )
}

/** Numbers of this repository's own. */
export function namedIssues(text: string, repository: string): number[] {
  const home = repository.toLowerCase()
  return issuesNamed(text, home).flatMap((one) => (one.repository === home ? [one.number] : []))
}

/** Those of another repository are closed in the name of whoever may write there too. */
export function closeNamedIssues(world: World, home: Repository, actor: User, text: string): void {
  for (const { repository: name, number } of issuesNamed(text, fullName(home))) {
    const repository = world.repositories.get(name)
    if (!repository || (repository !== home && !atLeast(permissionOf(repository, actor), 'write'))) continue
    const issue = repository.issues.get(number)
    if (issue && !isPull(issue) && issue.state === 'open')
      setState(world, repository, actor, issue, 'closed', 'completed')
  }
}
