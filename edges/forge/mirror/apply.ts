/** One change as a delivery told it: into the rows, then to the actor. */
import type {
  CiChange,
  CommentChange,
  ForgeChange,
  IssueAction,
  IssueChange,
  MergeRequestAction,
  MergeRequestChange,
  PushChange,
  SubjectAct,
  SubjectChange,
  ThreadChange,
} from '../change.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import { NotFoundError } from '../errors.ts'
import { isOfFork, refOf } from '../head-ref.ts'
import type { ForgeAccount, ForgeIssue, ForgeMergeRequest } from '../port.ts'
import { projectId, repositoryAt, type ProjectSettings } from '../projects.ts'
import { isOld, markGone, readChecks, readSubject, readThread, type ThreadReading } from './read-forge.ts'
import type { MirroredIssue, MirroredMergeRequest } from './facts/records.ts'
import { openScope, requireProject, type Scope } from './scope.ts'
import { insertDeliveredPush, NO_COMMIT, noteDeletion } from './store/pushes.ts'
import { listMergeRequests } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'
import { takeInComment, takeInIssue, takeInMergeRequest, type Taken } from './take-in.ts'
import { issueEditedNotification } from './facts/notifications.ts'

export async function applyChange(
  subjects: Subjects,
  id: string,
  change: ForgeChange,
  delivery: string,
): Promise<void> {
  const project = await requireProject(subjects.options, id)
  const repository = repositoryAt(project, change.path)
  // An owner-wide hook tells of repositories that are not enrolled.
  if (repository === undefined) return
  const scope = await openScope(subjects.options, project.name, repository.name)
  await applyIn(subjects, scope, change, delivery)
  if (isMoved(scope, change) || mayHide(scope, change))
    await subjects.options.outdated?.(projectId(project), repository.name, delivery)
}

async function applyIn(subjects: Subjects, scope: Scope, change: ForgeChange, delivery: string): Promise<void> {
  switch (change.kind) {
    case 'issue':
      return applyIssue(subjects, scope, change, delivery)
    case 'mr':
      return applyMergeRequest(subjects, scope, change)
    case 'subject':
      return applySubject(subjects, scope, change, delivery)
    case 'comment':
      return applyComment(subjects, scope, change)
    case 'thread':
      return applyThread(subjects, scope, change)
    case 'ci':
      return applyCi(subjects, scope, change)
    case 'push':
      return applyPush(subjects, scope, change)
  }
}

/** The default branch has another head. */
function isMoved({ project, repository }: Scope, change: ForgeChange): boolean {
  const known = project.taskConfig.repositories.find(({ name }) => name === repository.name)
  return change.kind === 'push' && known !== undefined && change.ref === `refs/heads/${known.base}`
}

/** Words of an issue may be gone, another hand's, or shown to members alone now. */
function mayHide({ project }: Scope, change: ForgeChange): boolean {
  // The platform writes its status comments over all the time, and hides nothing by it.
  if (sameLogin(change.by.login, project.scm.botLogin)) return false
  if (change.kind === 'subject') return change.on === 'issue' && change.acts.some(({ action }) => hiding.has(action))
  return (change.kind === 'issue' || change.kind === 'comment') && hiding.has(change.action)
}

const hiding: ReadonlySet<string> = new Set(['edited', 'deleted', 'other'])

function applyIssue(subjects: Subjects, scope: Scope, change: IssueChange, delivery: string): Promise<void> {
  const { issue, by } = change
  return subjects.withSubject(scope, 'issue', issue.number, async (subject) => {
    const taken = await subject.take([issue.author, by], (tx, context) =>
      takeInIssue(tx, context, issue, 'told', change),
    )
    const { how, before } = taken
    const { after } = await settled(subject, change, taken)
    await reportIssue(subject, [change], { how, before, after }, by, delivery)
  })
}

/** What stands after a telling. Nobody asks a forge for what it says that it deleted. */
async function settled(
  subject: Subject,
  change: IssueChange,
  taken: Taken<MirroredIssue>,
): Promise<Taken<MirroredIssue>> {
  try {
    if (change.action !== 'deleted') return taken.how === 'tie' ? await believeForge(subject, change) : taken
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
  await markGone(subject)
  const row = await subject.row()
  return row?.kind === 'issue' ? { ...taken, after: row } : taken
}

/** To its actor, with what was done beside: a trigger that came back, a text that somebody else wrote. */
async function reportIssue(
  subject: Subject,
  acts: readonly SubjectAct[],
  { how, before, after }: Taken<MirroredIssue>,
  by: ForgeAccount,
  delivery: string,
): Promise<void> {
  const { project } = subject.scope
  const people = await subject.people()
  const now = subject.options.clock.now()
  const did = (action: SubjectAct['action']): boolean => acts.some((act) => act.action === action)
  const asked =
    did('labeled') && how !== 'stale' && before !== undefined && before.revision > 0 && people.isMaintainer(by)
  const cameBack = asked && !hasTrigger(before, project) && hasTrigger(after, project)
  const edited = did('edited') && !people.isOwn(by) && people.isGatedHuman(by)
  await subject.notify({
    ...(cameBack ? { retry: `labelled/${delivery}` } : {}),
    ...(edited ? { also: [issueEditedNotification(after, { project, people }, delivery, by.login, now)] } : {}),
  })
}

/** Read from the forge, with what only the delivery knows. What the forge shows us no more is gone. */
function applySubject(subjects: Subjects, scope: Scope, change: SubjectChange, delivery: string): Promise<void> {
  return subjects.withSubject(scope, change.on, change.number, (subject) =>
    orGone(subject, () =>
      change.on === 'issue' ? rereadIssue(subject, change, delivery) : rereadMergeRequest(subject, change),
    ),
  )
}

async function orGone(subject: Subject, read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    await markGone(subject)
    await subject.notify()
  }
}

async function rereadIssue(subject: Subject, change: SubjectChange, delivery: string): Promise<void> {
  const { scope, key } = subject
  const { acts, by, text } = change
  const issue: ForgeIssue = await scope.forge.issue(scope.path, key.number)
  let whole: Taken<MirroredIssue> | undefined
  for (const act of acts) {
    const hint = { ...act, action: act.action as IssueAction, by, issue: text }
    const taken = await subject.take([issue.author, by], (tx, context) => takeInIssue(tx, context, issue, 'read', hint))
    whole = { ...taken, before: whole === undefined ? taken.before : whole.before }
  }
  if (change.thread === true) await readThread(subject)
  if (whole !== undefined) await reportIssue(subject, acts, whole, by, delivery)
}

async function rereadMergeRequest(subject: Subject, change: SubjectChange): Promise<void> {
  const { scope, key } = subject
  const { acts, by, text, headSha } = change
  const found = await scope.forge.mergeRequest(scope.path, key.number)
  for (const act of acts) {
    // Who pushed a head that is no longer there did not push the one that is.
    const isPast = headSha !== undefined && headSha !== found.headSha && ['opened', 'pushed'].includes(act.action)
    const hint = isPast ? undefined : { ...act, action: act.action as MergeRequestAction, by, mergeRequest: text }
    await subject.take([found.author, by], (tx, context) => takeInMergeRequest(tx, context, found, 'read', hint))
    if (headSha !== undefined) await recordHeadPush(subject, found, { ...change, action: act.action, headSha })
  }
  if (change.thread === true) await takeRevoked(subject, change, await readThread(subject))
  await subject.notify()
}

/** What he gave anew stands under an id of its own, and is listed. */
async function takeRevoked(
  subject: Subject,
  { revokes, by }: SubjectChange,
  { unlisted }: ThreadReading,
): Promise<void> {
  if (revokes !== true) return
  await subject.takeWords([by], async (tx, context) => {
    for (const { comment } of unlisted)
      if (comment.verdict === 'approved' && sameLogin(comment.author.login, by.login))
        await takeInComment(tx, context, comment, { action: 'deleted', by, news: false })
  })
}

function applyThread(subjects: Subjects, scope: Scope, { on, number }: ThreadChange): Promise<void> {
  return subjects.withSubject(scope, on, number, (subject) =>
    orGone(subject, async () => {
      if ((await subject.row()) === undefined) await readSubject(subject)
      await readThread(subject)
      await subject.notify()
    }),
  )
}

function hasTrigger({ issue }: MirroredIssue, { triggerLabel }: ProjectSettings): boolean {
  return issue.labels.some((label) => label.toLowerCase() === triggerLabel.toLowerCase())
}

/** Two tellings of one second: the forge itself says which holds; the event still says who did it. */
async function believeForge(subject: Subject, hint: IssueChange): Promise<Taken<MirroredIssue>> {
  const { scope, key } = subject
  const issue = await scope.forge.issue(scope.path, key.number)
  return subject.take([issue.author, hint.by], (tx, context) => takeInIssue(tx, context, issue, 'read', hint))
}

function applyMergeRequest(subjects: Subjects, scope: Scope, change: MergeRequestChange): Promise<void> {
  const { mergeRequest, by } = change
  return subjects.withSubject(scope, 'mr', mergeRequest.number, async (subject) => {
    const take = (found: typeof mergeRequest, source: 'told' | 'read'): Promise<Taken<MirroredMergeRequest>> =>
      subject.take([found.author, by], (tx, context) => takeInMergeRequest(tx, context, found, source, change))
    if ((await take(mergeRequest, 'told')).how === 'tie')
      await take(await scope.forge.mergeRequest(scope.path, mergeRequest.number), 'read')
    await recordHeadPush(subject, mergeRequest, { ...change, headSha: change.afterSha ?? mergeRequest.headSha })
    await subject.notify()
  })
}

function applyComment(subjects: Subjects, scope: Scope, change: CommentChange): Promise<void> {
  const { comment, action, by, from, issue } = change
  if (comment.verdict === 'pending') return Promise.resolve()
  return subjects.withSubject(scope, comment.on, comment.number, async (subject) => {
    if (issue !== undefined) await takeIssueAlong(subject, issue)
    else if ((await subject.row()) === undefined) await readSubject(subject)
    const row = await subject.row()
    await subject.takeWords([comment.author, by], (tx, context) =>
      takeInComment(tx, context, comment, {
        action,
        by,
        ...(from === undefined ? {} : { from }),
        news: action === 'created',
        old: row !== undefined && isOld(comment, row, context.people),
      }),
    )
    await subject.notify()
  })
}

/** The issue that came with a comment, as far as it is news. A tie is left to the issue's own event. */
async function takeIssueAlong(subject: Subject, issue: NonNullable<CommentChange['issue']>): Promise<void> {
  const { how } = await subject.take([issue.author], (tx, context) => takeInIssue(tx, context, issue, 'told'))
  if (how === 'tie') await readSubject(subject)
}

async function applyCi(subjects: Subjects, scope: Scope, { sha, mergeRequest }: CiChange): Promise<void> {
  const heads = await listMergeRequests(subjects.options.sql, [scope.repositoryKey], {
    state: 'open',
    headSha: sha,
  })
  const numbers = new Set(heads.map(({ number }) => number))
  if (mergeRequest !== undefined) numbers.add(mergeRequest)
  for (const number of numbers) {
    await subjects.withSubject(scope, 'mr', number, async (subject) => {
      await readChecks(subject, true)
      await subject.notify()
    })
  }
}

interface HeadPush {
  readonly action: SubjectAct['action']
  readonly by: ForgeAccount
  readonly headSha: string
  readonly beforeSha?: string
}

/**
 * A fork tells us of no push: who opens its merge request, and who moves its head, has brought what is in it. Of our own branches
 * the push says it better. But GitLab tells of no push where one command moves more than three branches (`push_event_hooks_limit`),
 * so what others than maintainers and engines pushed is noted here as well.
 */
async function recordHeadPush(
  subject: Subject,
  found: ForgeMergeRequest,
  { action, by, headSha: after, beforeSha = '' }: HeadPush,
): Promise<void> {
  const { scope, options } = subject
  const ref = refOf(found, scope.path)
  const isFork = isOfFork(ref)
  const before = action === 'opened' && isFork ? NO_COMMIT : beforeSha
  if (!['opened', 'pushed'].includes(action) || before === '') return
  if (!isFork && (await bringsItself(subject, by))) return
  await insertDeliveredPush(options.sql, { ...scope.repositoryKey, ref, before, after, by, at: options.clock.now() })
}

async function bringsItself(subject: Subject, by: ForgeAccount): Promise<boolean> {
  const people = await subject.people()
  return people.isMaintainer(by) || people.isBot(by)
}

/** Who pushed what: the evidence of whose the commits of a merge request are (REVIEW-3). */
async function recordPush({ options: { sql, clock } }: Subjects, scope: Scope, change: PushChange): Promise<void> {
  const { ref, before, after, by } = change
  // A base is never a head of ours, and has most of a repository's pushes.
  if (isMoved(scope, change)) return
  const push = { ...scope.repositoryKey, ref, before, after, by, at: clock.now() }
  await (after === NO_COMMIT ? noteDeletion(sql, push) : insertDeliveredPush(sql, push))
}

/** The merge request's own event may be lost or late; a push to its branch says that it has a new head. */
async function applyPush(subjects: Subjects, scope: Scope, change: PushChange): Promise<void> {
  const { ref, after, by } = change
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return
  await recordPush(subjects, scope, change)
  const open = await listMergeRequests(subjects.options.sql, [scope.repositoryKey], {
    state: 'open',
    headBranch: branch,
  })
  for (const { number, mergeRequest } of open.filter((one) => one.mergeRequest.headSha !== after)) {
    if (mergeRequest.headRepository?.toLowerCase() !== scope.path.toLowerCase()) continue
    await subjects.withSubject(scope, 'mr', number, async (subject) => {
      const found = await scope.forge.mergeRequest(scope.path, number)
      await subject.take([found.author, by], (tx, context) =>
        takeInMergeRequest(
          tx,
          context,
          found,
          'read',
          found.headSha === after ? { action: 'pushed', by, mergeRequest: found } : undefined,
        ),
      )
      await subject.notify()
    })
  }
}
