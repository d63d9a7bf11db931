/**
 * The mirror of the forge: rows of issues, merge requests and comments, kept by webhooks and by the resync, and the
 * one place from which actors hear of them. Every method may be repeated; what is already known changes nothing.
 */
import type { CommandName } from '../../../machines/rules/commands.ts'
import { commandsIn } from '../../../machines/rules/commands.ts'
import type { ForgeChange } from '../change.ts'
import type { ForgeSubjectKind } from '../port.ts'
import { repositoryNamed } from '../projects.ts'
import { applyChange } from './apply.ts'
import { isDoubted, isOwnText } from './facts/hands.ts'
import type { People } from './facts/people.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest, SubjectOf } from './facts/records.ts'
import { loadThread } from './store/comments.ts'
import { listResyncTrouble, type ResyncTrouble } from './store/cursors.ts'
import { listIssues, listMergeRequests, loadSubject, type SubjectFilter } from './store/subjects.ts'
import { boundAccounts } from './store/accounts.ts'
import type { RepositoryKey } from './store/places.ts'
import { currentRepositoryKey, currentRepositoryKeys, learnRepositoryKey } from './places/places.ts'
import { resyncProject } from './resync.ts'
import type { ThreadRef } from '../task-threads.ts'
import type { MirrorOptions } from './options.ts'
import { openScope, requireProject } from './scope.ts'
import { createSubjects } from './subject.ts'
import { readAndReport, type ThreadReading } from './read-forge.ts'
import { loadThreads } from './task-words.ts'
import { hasPushed, pushesTo, type BranchPush } from './store/pushes.ts'
import type { Word } from './facts/words.ts'

/** Projects by name or actor id, repositories by the name of their resource. */
export interface Mirror {
  issue(project: string, repository: string, number: number): Promise<MirroredIssue | undefined>
  mergeRequest(project: string, repository: string, number: number): Promise<MirroredMergeRequest | undefined>
  /** Oldest first, deleted ones included and marked. */
  comments(
    project: string,
    repository: string,
    on: ForgeSubjectKind,
    number: number,
  ): Promise<readonly MirroredComment[]>
  /** Newest change first. */
  issues(project: string, filter?: SubjectFilter): Promise<readonly MirroredIssue[]>
  mergeRequests(project: string, filter?: SubjectFilter): Promise<readonly MirroredMergeRequest[]>
  /** Who accounts are to a repository at this moment; undefined where it is not enrolled. */
  people(project: string, repository: string): Promise<People | undefined>
  /** When maintainers gave this command in the thread, for example `allow-ci-changes` (GIT-4): in words that are their own and stand. */
  maintainerCommandTimes(
    project: string,
    repository: string,
    on: ForgeSubjectKind,
    number: number,
    command: CommandName,
  ): Promise<readonly number[]>
  /** The words of maintainers that withhold the merges of a Task with these threads, oldest first (LAW-24); as last read. */
  withheld(project: string, threads: readonly ThreadRef[]): Promise<readonly Word[]>
  /** Those of the repositories that pods of this Task pushed to. */
  pushedBy(project: string, repositories: readonly string[], task: string): Promise<readonly string[]>
  /** Who pushed what to a ref, oldest first. */
  pushesTo(project: string, repository: string, ref: string): Promise<readonly BranchPush[]>
  /** Reads one subject and its thread from the forge and tells its actor; what a merge, an opening or a doubt asks for. */
  refresh(project: string, repository: string, on: ForgeSubjectKind, number: number): Promise<ThreadReading>
  /** What one delivery told; `delivery` is its id. */
  apply(project: string, change: ForgeChange, delivery: string): Promise<void>
  /** Repositories whose resync failed at least so often in a row. */
  resyncTrouble(project: string, least: number): Promise<readonly ResyncTrouble[]>
  /** The forge said at this moment which repository it is (MIRROR-7). */
  identify(project: string, repository: string, forgeId: string): Promise<void>
  /** Under which key the rows of a Repository stand; the forge is asked where nobody knows. */
  repositoryKey(project: string, repository: string): Promise<RepositoryKey>
  /** Of each Repository whose place is known, without asking the forge. */
  repositoryKeys(project: string): Promise<readonly RepositoryKey[]>
  /** Reads back everything that changed since the last time, and the deliveries that never came. */
  resync(project: string, options?: { readonly hookUrl?: string }): Promise<void>
}

export function createMirror(options: MirrorOptions): Mirror {
  const subjects = createSubjects(options)
  const { sql } = options

  async function repositoryKeysOf(id: string): Promise<readonly RepositoryKey[]> {
    const project = await options.directory.project(id)
    return project === undefined ? [] : [...(await currentRepositoryKeys(options, project)).values()]
  }

  async function one<Kind extends ForgeSubjectKind>(
    project: string,
    repository: string,
    kind: Kind,
    number: number,
  ): Promise<SubjectOf<Kind> | undefined> {
    const repositoryKey = await currentRepositoryKey(options, project, repository)
    return repositoryKey && loadSubject(sql, { ...repositoryKey, kind, number })
  }

  const mirror: Mirror = {
    issue: (project, repository, number) => one(project, repository, 'issue', number),
    mergeRequest: (project, repository, number) => one(project, repository, 'mr', number),
    async comments(project, repository, kind, number) {
      const repositoryKey = await currentRepositoryKey(options, project, repository)
      return repositoryKey === undefined ? [] : loadThread(sql, { ...repositoryKey, kind, number })
    },
    issues: async (project, filter = {}) => listIssues(sql, await repositoryKeysOf(project), filter),
    mergeRequests: async (project, filter = {}) => listMergeRequests(sql, await repositoryKeysOf(project), filter),
    async people(id, name) {
      const project = await options.directory.project(id)
      const repository = project && repositoryNamed(project, name)
      if (project === undefined || repository === undefined) return undefined
      return options.rules.people(project, repository, await boundAccounts(sql, project.uid))
    },
    maintainerCommandTimes: (...command) => commandTimes(options, ...command),
    async withheld(id, threads) {
      const project = await requireProject(options, id)
      const known = await currentRepositoryKeys(options, project)
      const bound = await boundAccounts(sql, project.uid)
      return options.rules.words(await loadThreads({ ...options, known }, project, threads, bound))
    },
    pushedBy: (...asked) => pushedBy(options, ...asked),
    async pushesTo(project, repository, ref) {
      const repositoryKey = await currentRepositoryKey(options, project, repository)
      return repositoryKey === undefined ? [] : pushesTo(sql, repositoryKey, ref)
    },
    async refresh(project, repository, on, number) {
      const scope = await openScope(options, project, repository)
      return subjects.withSubject(scope, on, number, readAndReport)
    },
    apply: (project, change, delivery) => applyChange(subjects, project, change, delivery),
    async resyncTrouble(id, least) {
      const project = await requireProject(options, id)
      const repositoryKeys = await currentRepositoryKeys(options, project)
      const trouble = await listResyncTrouble(sql, project.uid, least)
      return trouble.filter(({ repository, forgeId }) => forgeId === (repositoryKeys.get(repository)?.forgeId ?? ''))
    },
    async identify(id, name, forgeId) {
      const project = await requireProject(options, id)
      const repository = repositoryNamed(project, name)
      if (repository !== undefined) await learnRepositoryKey(options, project, repository, forgeId)
    },
    repositoryKey: async (project, repository) => (await openScope(options, project, repository)).repositoryKey,
    repositoryKeys: repositoryKeysOf,
    resync: (project, { hookUrl } = {}) => resyncProject(subjects, project, hookUrl),
  }
  return mirror
}

async function pushedBy(
  options: MirrorOptions,
  ...[project, repositories, task]: Parameters<Mirror['pushedBy']>
): Promise<readonly string[]> {
  const found: string[] = []
  for (const repository of repositories) {
    const repositoryKey = await currentRepositoryKey(options, project, repository)
    if (repositoryKey && (await hasPushed(options.sql, { ...repositoryKey, task }))) found.push(repository)
  }
  return found
}

async function commandTimes(
  options: MirrorOptions,
  ...[project, repository, kind, number, command]: Parameters<Mirror['maintainerCommandTimes']>
): Promise<readonly number[]> {
  const scope = await openScope(options, project, repository)
  const bound = await boundAccounts(options.sql, scope.project.uid)
  const people = options.rules.people(scope.project, scope.repository, bound)
  const thread = await loadThread(options.sql, { ...scope.repositoryKey, kind, number })
  const commands = thread.filter(
    (row) =>
      isOwnText(row) &&
      !isDoubted(row) &&
      people.isMaintainer(row.comment.author) &&
      commandsIn(row.comment.body).some((given) => given.name === command),
  )
  return commands.map(({ comment }) => comment.createdAt)
}
