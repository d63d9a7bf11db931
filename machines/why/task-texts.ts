import type { TaskContext } from '../task/context.ts'
import { taskResting } from './reason.ts'
import { listedHash } from './search.ts'
import { titleOf } from './title.ts'

type Text = 'title' | 'project' | 'repository' | 'number' | 'person' | 'reason' | 'agent' | 'commit'

/** What a list finds a Task by, and the board too. A change raises the version of what is listed. */
export function taskTexts(task: TaskContext, path: string): Readonly<Record<Text, string>> {
  return {
    title: titleOf(task.goal),
    project: task.config.project,
    repository: words(task.repositories),
    number: words([
      ...task.forge.issues.map(({ repository, number }) => `${repository}#${number}`),
      ...task.forge.mergeRequests.map(({ repository, number }) => `${repository}!${number}`),
    ]),
    person: task.forge.claimedMaintainer ?? '',
    reason: taskResting(task, path)?.reason.split('/').at(-1) ?? '',
    agent: task.kind,
    // A text has 200 characters, so of many the newest.
    commit: words(commitsOf(task.forge.mergeRequests).toReversed().slice(0, 15)),
  }
}

interface Change {
  readonly headSha: string
  readonly mergeCommit?: string | null
}

export function commitsOf(changes: readonly Change[]): readonly string[] {
  const all = changes.flatMap(({ headSha, mergeCommit }) => [headSha, mergeCommit ?? ''])
  return all.filter(Boolean).map((sha) => sha.slice(0, listedHash))
}

export function words(all: readonly string[]): string {
  return [...new Set(all)].join(' ')
}
