/**
 * The mirror of the forge: rows of issues, merge requests and comments, kept by webhooks and by the resync, and the
 * one place from which actors hear of them. Every method may be repeated; what is already known changes nothing.
 */
import type { CommandName } from '../../../machines/rules/commands.ts'
import { commandsIn } from '../../../machines/rules/commands.ts'
import type { ForgeChange } from '../change.ts'
import type { ForgeSubjectKind } from '../port.ts'
import { bareName, repositoryNamed } from '../projects.ts'
import { applyChange } from './apply.ts'
import { isOwnText } from './hands.ts'
import type { People } from './people.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest } from './records.ts'
import { loadThread } from './store/comments.ts'
import { listResyncTrouble, type ResyncTrouble } from './store/cursors.ts'
import { listIssues, listMergeRequests, loadSubject, type SubjectFilter } from './store/subjects.ts'
import { boundAccounts } from './store/accounts.ts'
import { resyncProject } from './resync.ts'
import type { ThreadPlace } from '../task-threads.ts'
import { openScope, requireProject, type MirrorOptions } from './scope.ts'
import { createSubjects } from './subject.ts'
import { readAndTell } from './read-forge.ts'
import { loadThreads } from './task-words.ts'
import type { Word } from './words.ts'

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
  maintainerSaidAt(
    project: string,
    repository: string,
    on: ForgeSubjectKind,
    number: number,
    command: CommandName,
  ): Promise<readonly number[]>
  /** The words of maintainers that withhold the merges of a Task with these threads, oldest first (LAW-24); as last read. */
  withheld(project: string, threads: readonly ThreadPlace[]): Promise<readonly Word[]>
  /** Reads one subject and its thread from the forge and tells its actor; what a merge, an opening or a doubt asks for. */
  refresh(project: string, repository: string, on: ForgeSubjectKind, number: number): Promise<void>
  /** What one delivery told; `delivery` is its id. */
  apply(project: string, change: ForgeChange, delivery: string): Promise<void>
  /** Repositories whose resync failed at least so often in a row. */
  resyncTrouble(project: string, least: number): Promise<readonly ResyncTrouble[]>
  /** Reads back everything that changed since the last time, and the deliveries that never came. */
  resync(project: string, options?: { readonly hookUrl?: string }): Promise<void>
}

export function createMirror(options: MirrorOptions): Mirror {
  const subjects = createSubjects(options)
  const { sql } = options
  const mirror: Mirror = {
    async issue(project, repository, number) {
      return (await loadSubject(sql, { project: bareName(project), repository, kind: 'issue', number })) as
        | MirroredIssue
        | undefined
    },
    async mergeRequest(project, repository, number) {
      return (await loadSubject(sql, { project: bareName(project), repository, kind: 'mr', number })) as
        | MirroredMergeRequest
        | undefined
    },
    comments: (project, repository, kind, number) =>
      loadThread(sql, { project: bareName(project), repository, kind, number }),
    issues: (project, filter = {}) => listIssues(sql, bareName(project), filter),
    mergeRequests: (project, filter = {}) => listMergeRequests(sql, bareName(project), filter),
    async people(id, name) {
      const project = await options.directory.project(id)
      const repository = project && repositoryNamed(project, name)
      if (project === undefined || repository === undefined) return undefined
      return options.rules.people(project, repository, await boundAccounts(sql, project.name))
    },
    async maintainerSaidAt(project, repository, kind, number, command) {
      const scope = await openScope(options, project, repository)
      const people = options.rules.people(scope.project, scope.repository, await boundAccounts(sql, scope.project.name))
      const thread = await loadThread(sql, { project: scope.project.name, repository, kind, number })
      const said = thread.filter(
        (row) =>
          isOwnText(row) &&
          people.isMaintainer(row.comment.author) &&
          commandsIn(row.comment.body).some((given) => given.name === command),
      )
      return said.map(({ comment }) => comment.createdAt)
    },
    async withheld(id, threads) {
      const project = await requireProject(options, id)
      return options.rules.words(await loadThreads(options, project, threads, await boundAccounts(sql, project.name)))
    },
    async refresh(project, repository, on, number) {
      const scope = await openScope(options, project, repository)
      await subjects.withSubject(scope, on, number, readAndTell)
    },
    apply: (project, change, delivery) => applyChange(subjects, project, change, delivery),
    resyncTrouble: (project, least) => listResyncTrouble(sql, bareName(project), least),
    resync: (project, { hookUrl } = {}) => resyncProject(subjects, project, hookUrl),
  }
  return mirror
}
