import { extractQuickActions, obeyQuickActions } from './gitlab/quick-actions.ts'
import { createCheckRun, holdSuite, releaseSuite, type CheckRunInput } from './store/checks.ts'
import { createComment, deleteComment, editComment, findComment } from './store/comments.ts'
import { addIssueLabels, removeIssueLabel } from './store/issue-labels.ts'
import { editIssue, findIssue, openIssue, type IssueInput, type IssuePatch } from './store/issues.ts'
import { deleteBranch, mergePull, type MergeInput } from './store/merge.ts'
import { editPull, findPull, markReady, openPull, type PullInput } from './store/pulls.ts'
import type { Actor, Comment, Issue, Pull, Repository, Review } from './store/records.ts'
import { Refusal } from './store/refusal.ts'
import { createReview, type ReviewInput } from './store/reviews.ts'
import { findRepository, requireUser, type World } from './store/world.ts'

/**
 * What people do on the forge's pages, by login and `owner/name`: the same store verbs, permissions, webhooks and audit as
 * over HTTP. `kind` is of use in a repository of GitLab's dialect, where #1 and !1 are two.
 */
export interface Actions {
  openIssue(login: string, repository: string, input: IssueInput): Issue
  editIssue(login: string, repository: string, number: number, patch: IssuePatch): void
  closeIssue(login: string, repository: string, number: number, reason?: 'completed' | 'not_planned'): void
  reopenIssue(login: string, repository: string, number: number): void
  addLabel(login: string, repository: string, number: number, label: string, kind?: Issue['kind']): void
  removeLabel(login: string, repository: string, number: number, label: string, kind?: Issue['kind']): void
  /** In GitLab's dialect its quick actions are obeyed. One of which nothing is left is refused: no comment is kept. */
  comment(login: string, repository: string, number: number, body: string, kind?: Issue['kind']): Comment
  editComment(login: string, repository: string, comment: number, body: string): void
  deleteComment(login: string, repository: string, comment: number): void
  openPull(login: string, repository: string, input: PullInput): Promise<Pull>
  markReady(login: string, repository: string, number: number): void
  closePull(login: string, repository: string, number: number): Promise<void>
  reopenPull(login: string, repository: string, number: number): Promise<void>
  review(login: string, repository: string, number: number, input: ReviewInput): Promise<Review>
  /** Resolves to the sha that the base now has. */
  mergePull(login: string, repository: string, number: number, input?: MergeInput): Promise<string>
  deleteBranch(login: string, repository: string, branch: string): Promise<void>
  /** One that another program than the forge's own CI has run. */
  addCheck(login: string, repository: string, input: Omit<CheckRunInput, 'app'>): void
  /** More checks by this account are to come, until the returned function says that there are none. */
  expectChecks(login: string, repository: string, sha: string): () => void
  /** The issue or pull request as the forge holds it, for looking only. */
  issue(repository: string, number: number, kind?: Issue['kind']): Readonly<Issue>
  /** All of them, pull requests too, by number. */
  issues(repository: string): ReadonlyArray<Readonly<Issue>>
}

export function createActions(world: World): Actions {
  const by = (login: string): Actor => ({ user: requireUser(world, login), cap: 'admin', scopes: [] })
  const at = (name: string): Repository => repositoryNamed(world, name)
  const edit = (login: string, name: string, number: number, patch: IssuePatch): void =>
    editIssue(world, at(name), by(login), findIssue(at(name), number), patch)
  const editOf = (login: string, name: string, number: number, state: 'open' | 'closed'): Promise<void> =>
    editPull(world, at(name), by(login), findPull(at(name), number), { state })
  return {
    openIssue: (login, name, input) => openIssue(world, at(name), by(login), input),
    editIssue: edit,
    closeIssue: (login, name, number, stateReason = 'completed') =>
      edit(login, name, number, { state: 'closed', stateReason }),
    reopenIssue: (login, name, number) => edit(login, name, number, { state: 'open' }),
    addLabel: (login, name, number, label, kind) =>
      addIssueLabels(world, at(name), by(login), findIssue(at(name), number, kind), [label]),
    removeLabel: (login, name, number, label, kind) =>
      removeIssueLabel(world, at(name), by(login), findIssue(at(name), number, kind), label),
    comment(login, name, number, body, kind) {
      const repository = at(name)
      const thread = findIssue(repository, number, kind)
      if (repository.dialect === 'github') return createComment(world, repository, by(login), thread, body)
      const { text, actions } = extractQuickActions(body)
      void obeyQuickActions({ world, repository, actor: by(login) }, thread, actions)
      if (text === '') throw new Refusal('invalid', { resource: 'Note', field: 'body', detail: 'commands only' })
      return createComment(world, repository, by(login), thread, text)
    },
    editComment: (login, name, comment, body) =>
      editComment(world, at(name), by(login), findComment(at(name), comment), body),
    deleteComment: (login, name, comment) => deleteComment(world, at(name), by(login), findComment(at(name), comment)),
    openPull: (login, name, input) => openPull(world, at(name), by(login), input),
    markReady: (login, name, number) => markReady(world, at(name), by(login), findPull(at(name), number)),
    closePull: (login, name, number) => editOf(login, name, number, 'closed'),
    reopenPull: (login, name, number) => editOf(login, name, number, 'open'),
    review: (login, name, number, input) => createReview(world, at(name), by(login), findPull(at(name), number), input),
    mergePull: (login, name, number, input = {}) =>
      mergePull(world, at(name), by(login), findPull(at(name), number), input),
    deleteBranch: (login, name, branch) => deleteBranch(world, at(name), by(login), branch),
    addCheck: (login, name, input) => void createCheckRun(world, at(name), by(login).user, { ...input, app: login }),
    expectChecks(login, name, sha) {
      const suite = holdSuite(world, at(name), sha, login)
      return () => releaseSuite(world, at(name), by(login).user, suite)
    },
    issue: (name, number, kind) => findIssue(at(name), number, kind),
    issues: (name) => [...at(name).issues.values()],
  }
}

function repositoryNamed(world: World, fullName: string): Repository {
  const cut = fullName.lastIndexOf('/')
  const repository = findRepository(world, fullName.slice(0, cut), fullName.slice(cut + 1))
  if (!repository) throw new Refusal('not-found', { resource: 'Repository', detail: fullName })
  return repository
}
