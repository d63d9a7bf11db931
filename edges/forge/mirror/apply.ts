/** One change as a delivery told it: into the rows, then to the actor. */
import { TerminalError } from '../../../runtime/errors.ts'
import type { CiChange, CommentChange, ForgeChange, IssueChange, MergeRequestChange, PushChange } from '../change.ts'
import { bareName, repositoryAt, type ProjectSettings } from '../projects.ts'
import type { SubjectSync, Scope } from './subject-sync.ts'
import type { MirroredIssue, SubjectKey } from './records.ts'
import { listMergeRequests, loadSubject } from './store/subjects.ts'
import { takeInComment, takeInIssue, takeInMergeRequest, type TakenIn } from './take-in.ts'
import { issueEditedTelling } from './tell.ts'

export async function applyChange(sync: SubjectSync, id: string, change: ForgeChange, delivery: string): Promise<void> {
  const project = await sync.options.directory.project(bareName(id))
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${bareName(id)}`)
  const repository = repositoryAt(project, change.path)
  // An owner-wide hook tells of repositories that are not enrolled.
  if (repository === undefined) return
  const scope = await sync.scope(project.name, repository.name)
  if (change.kind === 'issue') return applyIssue(sync, scope, change, delivery)
  if (change.kind === 'mr') return applyMergeRequest(sync, scope, change)
  if (change.kind === 'comment') return applyComment(sync, scope, change)
  return change.kind === 'ci' ? applyCi(sync, scope, change) : applyPush(sync, scope, change)
}

function applyIssue(sync: SubjectSync, scope: Scope, change: IssueChange, delivery: string): Promise<void> {
  const { issue, action, by } = change
  return sync.alone(scope, 'issue', issue.number, async (key) => {
    const before = (await loadSubject(sync.options.sql, key)) as MirroredIssue | undefined
    const taken = await sync.options.sql.tx(async (tx) =>
      takeInIssue(tx, await sync.context(tx, scope, [issue.author, by]), issue, 'told', change),
    )
    if (taken === 'tie') await believeForge(sync, scope, key, change)
    const after = (await loadSubject(sync.options.sql, key)) as MirroredIssue
    const { people, now } = await sync.context(sync.options.sql, scope, [])
    const asked =
      action === 'labeled' &&
      taken !== 'stale' &&
      before !== undefined &&
      before.revision > 0 &&
      people.isMaintainer(by)
    const cameBack = asked && !hasTrigger(before, scope.project) && hasTrigger(after, scope.project)
    const edited = action === 'edited' && !people.isOwn(by) && people.isGatedHuman(by)
    await sync.tell(scope, key, {
      ...(cameBack ? { retry: `labelled/${delivery}` } : {}),
      ...(edited ? { also: [issueEditedTelling(after, scope.project, delivery, by.login, now)] } : {}),
    })
  })
}

function hasTrigger({ issue }: MirroredIssue, { triggerLabel }: ProjectSettings): boolean {
  return issue.labels.some((label) => label.toLowerCase() === triggerLabel.toLowerCase())
}

/** Two tellings of one second: the forge itself says which holds; the event still says who did it. */
async function believeForge(sync: SubjectSync, scope: Scope, key: SubjectKey, hint: IssueChange): Promise<void> {
  const issue = await scope.forge.issue(scope.path, key.number)
  await sync.options.sql.tx(async (tx) =>
    takeInIssue(tx, await sync.context(tx, scope, [issue.author, hint.by]), issue, 'read', hint),
  )
}

function applyMergeRequest(sync: SubjectSync, scope: Scope, change: MergeRequestChange): Promise<void> {
  const { mergeRequest, by } = change
  return sync.alone(scope, 'mr', mergeRequest.number, async (key) => {
    const take = (found: typeof mergeRequest, source: 'told' | 'read'): Promise<TakenIn> =>
      sync.options.sql.tx(async (tx) =>
        takeInMergeRequest(tx, await sync.context(tx, scope, [found.author, by]), found, source, change),
      )
    if ((await take(mergeRequest, 'told')) === 'tie')
      await take(await scope.forge.mergeRequest(scope.path, mergeRequest.number), 'read')
    await sync.tell(scope, key)
  })
}

function applyComment(sync: SubjectSync, scope: Scope, change: CommentChange): Promise<void> {
  const { comment, action, by, from, issue } = change
  if (comment.verdict === 'pending') return Promise.resolve()
  return sync.alone(scope, comment.on, comment.number, async (key) => {
    const { sql } = sync.options
    const known = await loadSubject(sql, key)
    if (issue !== undefined) await takeIssueAlong(sync, scope, key, issue)
    else if (known === undefined) await sync.read(scope, key)
    await sql.tx(async (tx) =>
      takeInComment(tx, await sync.context(tx, scope, [comment.author, by]), comment, {
        action,
        by,
        ...(from === undefined ? {} : { from }),
        news: action === 'created',
      }),
    )
    await sync.tell(scope, key)
  })
}

/** The issue that came with a comment, as far as it is news. A tie is left to the issue's own event. */
async function takeIssueAlong(
  sync: SubjectSync,
  scope: Scope,
  key: SubjectKey,
  issue: NonNullable<CommentChange['issue']>,
): Promise<void> {
  const taken = await sync.options.sql.tx(async (tx) =>
    takeInIssue(tx, await sync.context(tx, scope, [issue.author]), issue, 'told'),
  )
  if (taken === 'tie') await sync.read(scope, key)
}

async function applyCi(sync: SubjectSync, scope: Scope, { sha }: CiChange): Promise<void> {
  const heads = await listMergeRequests(sync.options.sql, scope.project.name, {
    repository: scope.repository.name,
    state: 'open',
    headSha: sha,
  })
  for (const { number } of heads) {
    await sync.alone(scope, 'mr', number, async (key) => {
      await sync.readCi(scope, key, true)
      await sync.tell(scope, key)
    })
  }
}

/** The merge request's own event may be lost or late; a push to its branch says that it has a new head. */
async function applyPush(sync: SubjectSync, scope: Scope, { ref, after, by }: PushChange): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return
  const open = await listMergeRequests(sync.options.sql, scope.project.name, {
    repository: scope.repository.name,
    state: 'open',
    headBranch: branch,
  })
  for (const { number, mergeRequest } of open.filter((one) => one.mergeRequest.headSha !== after)) {
    if (mergeRequest.headRepository?.toLowerCase() !== scope.path.toLowerCase()) continue
    await sync.alone(scope, 'mr', number, async (key) => {
      const found = await scope.forge.mergeRequest(scope.path, number)
      await sync.options.sql.tx(async (tx) =>
        takeInMergeRequest(
          tx,
          await sync.context(tx, scope, [found.author, by]),
          found,
          'read',
          found.headSha === after ? { action: 'pushed', by, mergeRequest: found } : undefined,
        ),
      )
      await sync.tell(scope, key)
    })
  }
}
