/** One change as a delivery told it: into the rows, then to the actor. */
import { TerminalError } from '../../../runtime/errors.ts'
import type { CiChange, CommentChange, ForgeChange, IssueChange, MergeRequestChange, PushChange } from '../change.ts'
import { bareName, repositoryAt, type ProjectSettings } from '../projects.ts'
import type { Desk, Scope } from './desk.ts'
import type { MirroredIssue, SubjectKey } from './records.ts'
import { listMergeRequests, loadSubject } from './store/subjects.ts'
import { takeInComment, takeInIssue, takeInMergeRequest, type TakenIn } from './take-in.ts'
import { issueEditedTelling } from './tell.ts'

export async function applyChange(desk: Desk, id: string, change: ForgeChange, delivery: string): Promise<void> {
  const project = await desk.options.directory.project(bareName(id))
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${bareName(id)}`)
  const repository = repositoryAt(project, change.path)
  // An owner-wide hook tells of repositories that are not enrolled.
  if (repository === undefined) return
  const scope = await desk.scope(project.name, repository.name)
  if (change.sort === 'issue') return applyIssue(desk, scope, change, delivery)
  if (change.sort === 'mr') return applyMergeRequest(desk, scope, change)
  if (change.sort === 'comment') return applyComment(desk, scope, change)
  return change.sort === 'ci' ? applyCi(desk, scope, change) : applyPush(desk, scope, change)
}

function applyIssue(desk: Desk, scope: Scope, change: IssueChange, delivery: string): Promise<void> {
  const { issue, action, by } = change
  return desk.alone(scope, 'issue', issue.number, async (key) => {
    const before = (await loadSubject(desk.options.sql, key)) as MirroredIssue | undefined
    const taken = await desk.options.sql.tx(async (tx) =>
      takeInIssue(tx, await desk.context(tx, scope, [issue.author, by]), issue, 'told', change),
    )
    if (taken === 'tie') await believeForge(desk, scope, key, change)
    const after = (await loadSubject(desk.options.sql, key)) as MirroredIssue
    const { people, now } = await desk.context(desk.options.sql, scope, [])
    const asked =
      action === 'labeled' &&
      taken !== 'stale' &&
      before !== undefined &&
      before.revision > 0 &&
      people.isMaintainer(by)
    const cameBack = asked && !hasTrigger(before, scope.project) && hasTrigger(after, scope.project)
    const edited = action === 'edited' && !people.isOwn(by) && people.isGatedHuman(by)
    await desk.tell(scope, key, {
      ...(cameBack ? { retry: `labelled/${delivery}` } : {}),
      ...(edited ? { also: [issueEditedTelling(after, scope.project, delivery, by.login, now)] } : {}),
    })
  })
}

function hasTrigger({ issue }: MirroredIssue, { triggerLabel }: ProjectSettings): boolean {
  return issue.labels.some((label) => label.toLowerCase() === triggerLabel.toLowerCase())
}

/** Two tellings of one second: the forge itself says which holds; the event still says who did it. */
async function believeForge(desk: Desk, scope: Scope, key: SubjectKey, hint: IssueChange): Promise<void> {
  const issue = await scope.forge.issue(scope.path, key.number)
  await desk.options.sql.tx(async (tx) =>
    takeInIssue(tx, await desk.context(tx, scope, [issue.author, hint.by]), issue, 'read', hint),
  )
}

function applyMergeRequest(desk: Desk, scope: Scope, change: MergeRequestChange): Promise<void> {
  const { mergeRequest, by } = change
  return desk.alone(scope, 'mr', mergeRequest.number, async (key) => {
    const take = (found: typeof mergeRequest, source: 'told' | 'read'): Promise<TakenIn> =>
      desk.options.sql.tx(async (tx) =>
        takeInMergeRequest(tx, await desk.context(tx, scope, [found.author, by]), found, source, change),
      )
    if ((await take(mergeRequest, 'told')) === 'tie')
      await take(await scope.forge.mergeRequest(scope.path, mergeRequest.number), 'read')
    await desk.tell(scope, key)
  })
}

function applyComment(desk: Desk, scope: Scope, change: CommentChange): Promise<void> {
  const { comment, action, by, from, issue } = change
  if (comment.verdict === 'pending') return Promise.resolve()
  return desk.alone(scope, comment.on, comment.number, async (key) => {
    const { sql } = desk.options
    const known = await loadSubject(sql, key)
    if (issue !== undefined) await takeIssueAlong(desk, scope, key, issue)
    else if (known === undefined) await desk.read(scope, key)
    await sql.tx(async (tx) =>
      takeInComment(tx, await desk.context(tx, scope, [comment.author, by]), comment, {
        action,
        by,
        ...(from === undefined ? {} : { from }),
        news: action === 'created',
      }),
    )
    await desk.tell(scope, key)
  })
}

/** The issue that came with a comment, as far as it is news. A tie is left to the issue's own event. */
async function takeIssueAlong(
  desk: Desk,
  scope: Scope,
  key: SubjectKey,
  issue: NonNullable<CommentChange['issue']>,
): Promise<void> {
  const taken = await desk.options.sql.tx(async (tx) =>
    takeInIssue(tx, await desk.context(tx, scope, [issue.author]), issue, 'told'),
  )
  if (taken === 'tie') await desk.read(scope, key)
}

async function applyCi(desk: Desk, scope: Scope, { sha }: CiChange): Promise<void> {
  const heads = await listMergeRequests(desk.options.sql, scope.project.name, {
    repository: scope.repository.name,
    state: 'open',
    headSha: sha,
  })
  for (const { number } of heads) {
    await desk.alone(scope, 'mr', number, async (key) => {
      await desk.readCi(scope, key, true)
      await desk.tell(scope, key)
    })
  }
}

/** The merge request's own event may be lost or late; a push to its branch says that it has a new head. */
async function applyPush(desk: Desk, scope: Scope, { ref, after, by }: PushChange): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return
  const open = await listMergeRequests(desk.options.sql, scope.project.name, {
    repository: scope.repository.name,
    state: 'open',
    headBranch: branch,
  })
  for (const { number, mergeRequest } of open.filter((one) => one.mergeRequest.headSha !== after)) {
    if (mergeRequest.headRepository?.toLowerCase() !== scope.path.toLowerCase()) continue
    await desk.alone(scope, 'mr', number, async (key) => {
      const found = await scope.forge.mergeRequest(scope.path, number)
      await desk.options.sql.tx(async (tx) =>
        takeInMergeRequest(
          tx,
          await desk.context(tx, scope, [found.author, by]),
          found,
          'read',
          found.headSha === after ? { action: 'pushed', by, mergeRequest: found } : undefined,
        ),
      )
      await desk.tell(scope, key)
    })
  }
}
