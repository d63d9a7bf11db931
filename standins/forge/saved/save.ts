import { fullName, isPull, type CheckSuite, type Issue, type Repository, type Resolution } from '../store/records.ts'
import type { World } from '../store/world.ts'
import type { Delivery } from '../webhooks/sender.ts'
import {
  WORLD_VERSION,
  type SavedDelivery,
  type SavedIssue,
  type SavedRepository,
  type SavedSuite,
  type SavedThread,
  type WorldDocument,
} from './document.ts'

/** Enough to see and repeat what was missed lately; all of them would grow the document without end. */
const KEPT_DELIVERIES = 500

/** The whole forge as it stands at this moment: no await in here, so it is one moment. */
export function saveWorld(world: World, deliveries: readonly Delivery[]): WorldDocument {
  return {
    version: WORLD_VERSION,
    lastId: world.lastId,
    users: [...world.users.values()],
    repositories: [...world.repositories.values()].map(saveRepository),
    deliveries: deliveries.slice(-KEPT_DELIVERIES).filter(isReachable).map(saveDelivery),
  }
}

/** The deliveries of a deleted hook can't be asked for any more. */
function isReachable({ hook, repository }: Delivery): boolean {
  return repository.hooks.has(hook.id)
}

function saveRepository({ path: _path, git: _git, ...repository }: Repository): SavedRepository {
  return {
    ...repository,
    owner: repository.owner.login,
    permissions: Object.fromEntries(repository.permissions),
    mergeMethods: [...repository.mergeMethods],
    protection: Object.fromEntries([...repository.protection].map(([branch, rules]) => [branch, saveRules(rules)])),
    rulesets: repository.rulesets.map(({ bypass, ...rules }) => ({
      ...saveRules(rules),
      branches: [...rules.branches],
      ...(bypass && { bypass: [...bypass] }),
    })),
    labels: [...repository.labels.values()],
    issues: [...repository.issues.values()].map(saveIssue),
    hooks: [...repository.hooks.values()],
    suites: repository.suites.map(saveSuite),
    statuses: repository.statuses.map(({ creator, ...status }) => ({ ...status, creator: creator.login })),
  }
}

function saveRules<R extends { readonly requiredChecks: readonly string[] }>(
  rules: R,
): Omit<R, 'requiredChecks'> & { requiredChecks: string[] } {
  return { ...rules, requiredChecks: [...rules.requiredChecks] }
}

function saveIssue(issue: Issue): SavedIssue {
  if (!isPull(issue)) return { ...issue, ...saveThread(issue) }
  const { mergeability: _mergeability, ...pull } = issue
  return {
    ...pull,
    ...saveThread(pull),
    merged: pull.merged && { ...pull.merged, by: pull.merged.by.login },
    reviews: [...pull.reviews.values()].map(saveAuthored),
    reviewComments: [...pull.reviewComments.values()].map(saveResolvable),
    drafts: [...pull.drafts.values()].map(saveAuthored),
    reviewers: pull.reviewers.map((user) => user.login),
    versions: [...pull.versions],
  }
}

function saveThread(
  issue: Pick<Issue, 'author' | 'labels' | 'assignees' | 'comments' | 'closedBy'>,
): Pick<SavedThread, 'author' | 'labels' | 'assignees' | 'comments' | 'closedBy'> {
  return {
    author: issue.author.login,
    labels: issue.labels.map((label) => label.id),
    assignees: issue.assignees.map((user) => user.login),
    comments: [...issue.comments.values()].map(saveResolvable),
    closedBy: issue.closedBy?.login ?? null,
  }
}

function saveAuthored<R extends { readonly author: { readonly login: string } }>(
  record: R,
): Omit<R, 'author'> & { author: string } {
  return { ...record, author: record.author.login }
}

interface Resolvable {
  readonly author: { readonly login: string }
  readonly resolution: Resolution | null
}

function saveResolvable<R extends Resolvable>(
  record: R,
): Omit<R, 'author' | 'resolution'> & { author: string; resolution: { by: string; at: string } | null } {
  const { resolution } = record
  return {
    ...record,
    author: record.author.login,
    resolution: resolution && { ...resolution, by: resolution.by.login },
  }
}

function saveSuite(suite: CheckSuite): SavedSuite {
  return { ...suite, runs: suite.runs.map(({ suite: _suite, ...run }) => run) }
}

function saveDelivery({ request: _request, ...delivery }: Delivery): SavedDelivery {
  return { ...delivery, hook: delivery.hook.id, repository: fullName(delivery.repository) }
}
