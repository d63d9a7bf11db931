import { replaceLabels } from './issues.ts'
import { ensureLabels } from './labels.ts'
import { demand } from './permissions.ts'
import type { Actor, Issue, Repository } from './records.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

export function addIssueLabels(
  world: World,
  repository: Repository,
  actor: Actor,
  issue: Issue,
  names: readonly string[],
): void {
  demand(repository, actor, 'triage')
  replaceLabels(world, repository, actor.user, issue, [
    ...new Set([...issue.labels, ...ensureLabels(world, repository, names)]),
  ])
}

export function setIssueLabels(
  world: World,
  repository: Repository,
  actor: Actor,
  issue: Issue,
  names: readonly string[],
): void {
  demand(repository, actor, 'triage')
  replaceLabels(world, repository, actor.user, issue, ensureLabels(world, repository, names))
}

export function removeIssueLabel(world: World, repository: Repository, actor: Actor, issue: Issue, name: string): void {
  demand(repository, actor, 'triage')
  if (!issue.labels.some((label) => label.name.toLowerCase() === name.toLowerCase())) throw new Refusal('label-absent')
  replaceLabels(
    world,
    repository,
    actor.user,
    issue,
    issue.labels.filter((label) => label.name.toLowerCase() !== name.toLowerCase()),
  )
}
