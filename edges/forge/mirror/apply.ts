/** One change as a delivery told it: into the rows, then to the actor. */
import type {
  CiChange,
  CommentChange,
  ForgeChange,
  IssueChange,
  IssueHinted,
  MergeRequestChange,
  MergeRequestHinted,
  PushChange,
} from '../change.ts'
import { repositoryAt, type ProjectSettings } from '../projects.ts'
import { isOld, readChecks, readSubject, readThread } from './read-forge.ts'
import type { MirroredIssue, MirroredMergeRequest } from './records.ts'
import { openScope, requireProject, type Scope } from './scope.ts'
import { listMergeRequests } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'
import {
  takeInComment,
  takeInIssue,
  takeInMergeRequest,
  type IssueHint,
  type MergeRequestHint,
  type Taken,
} from './take-in.ts'
import { issueEditedTelling } from './tell.ts'

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
  if (change.kind === 'issue') return applyIssue(subjects, scope, change, delivery)
  if (change.kind === 'mr') return applyMergeRequest(subjects, scope, change)
  if (change.kind === 'hint') return applyHint(subjects, scope, change, delivery)
  if (change.kind === 'comment') return applyComment(subjects, scope, change)
  return change.kind === 'ci' ? applyCi(subjects, scope, change) : applyPush(subjects, scope, change)
}

function applyIssue(subjects: Subjects, scope: Scope, change: IssueChange, delivery: string): Promise<void> {
  const { issue, by } = change
  return subjects.withSubject(scope, 'issue', issue.number, async (subject) => {
    const told = await subject.take([issue.author, by], (tx, context) =>
      takeInIssue(tx, context, issue, 'told', change),
    )
    const { how, before } = told
    const { after } = how === 'tie' ? await believeForge(subject, change) : told
    await notifyIssue(subject, [change], { how, before, after }, delivery)
  })
}

/** With what the events alone know: that a maintainer begins it anew by its label, and that somebody edited its text. */
async function notifyIssue(
  subject: Subject,
  hints: readonly Pick<IssueHint, 'action' | 'by'>[],
  { how, before, after }: Taken<MirroredIssue>,
  delivery: string,
): Promise<void> {
  const { project } = subject.scope
  const people = await subject.people()
  const now = subject.options.clock.now()
  const isAsked = hints.some(({ action, by }) => action === 'labeled' && people.isMaintainer(by))
  const asked = isAsked && how !== 'stale' && before !== undefined && before.revision > 0
  const cameBack = asked && !hasTrigger(before, project) && hasTrigger(after, project)
  const edits = hints.filter(({ action, by }) => action === 'edited' && !people.isOwn(by) && people.isGatedHuman(by))
  await subject.tell({
    ...(cameBack ? { retry: `labelled/${delivery}` } : {}),
    also: edits.map(({ by }) => issueEditedTelling(after, { project, people }, delivery, by.login, now)),
  })
}

/** The forge says how it stands; the event still says who did it. */
function applyHint(
  subjects: Subjects,
  scope: Scope,
  change: IssueHinted | MergeRequestHinted,
  delivery: string,
): Promise<void> {
  return subjects.withSubject(scope, change.on, change.number, async (subject) => {
    const notify = change.on === 'issue' ? await readIssue(subject, change, delivery) : await readMerge(subject, change)
    if (change.thread === true) await readThread(subject)
    await notify()
  })
}

async function readIssue(subject: Subject, change: IssueHinted, delivery: string): Promise<() => Promise<void>> {
  const { by, acts, before, text } = change
  const issue = await subject.scope.forge.issue(subject.scope.path, subject.key.number)
  const hints = acts.map((act): IssueHint => ({ ...act, by, ...(before && { before }), issue: { ...issue, ...text } }))
  const take = (hint?: IssueHint): Promise<Taken<MirroredIssue>> =>
    subject.take([issue.author, by], (tx, context) => takeInIssue(tx, context, issue, 'read', hint))
  const first = await take(hints[0])
  let last = first
  for (const hint of hints.slice(1)) last = await take(hint)
  return () => notifyIssue(subject, hints, { ...first, after: last.after }, delivery)
}

async function readMerge(subject: Subject, change: MergeRequestHinted): Promise<() => Promise<void>> {
  const { by, acts, before, text, headSha } = change
  const found = await subject.scope.forge.mergeRequest(subject.scope.path, subject.key.number)
  const hints = acts
    // Of a head that is no longer there, nobody learns who pushed the one that is.
    .filter(({ action }) => found.headSha === headSha || !['opened', 'pushed'].includes(action))
    .map((act): MergeRequestHint => ({ ...act, by, ...(before && { before }), mergeRequest: { ...found, ...text } }))
  for (const hint of hints.length === 0 ? [undefined] : hints)
    await subject.take([found.author, by], (tx, context) => takeInMergeRequest(tx, context, found, 'read', hint))
  return () => subject.tell()
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
    await subject.tell()
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
    await subject.tell()
  })
}

/** The issue that came with a comment, as far as it is news. A tie is left to the issue's own event. */
async function takeIssueAlong(subject: Subject, issue: NonNullable<CommentChange['issue']>): Promise<void> {
  const { how } = await subject.take([issue.author], (tx, context) => takeInIssue(tx, context, issue, 'told'))
  if (how === 'tie') await readSubject(subject)
}

async function applyCi(subjects: Subjects, scope: Scope, { sha, mergeRequest }: CiChange): Promise<void> {
  const heads = await listMergeRequests(subjects.options.sql, [scope.place], {
    state: 'open',
    headSha: sha,
  })
  const numbers = new Set(heads.map(({ number }) => number))
  if (mergeRequest !== undefined) numbers.add(mergeRequest)
  for (const number of numbers) {
    await subjects.withSubject(scope, 'mr', number, async (subject) => {
      await readChecks(subject, true)
      await subject.tell()
    })
  }
}

/** The merge request's own event may be lost or late; a push to its branch says that it has a new head. */
async function applyPush(subjects: Subjects, scope: Scope, { ref, after, by }: PushChange): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return
  const open = await listMergeRequests(subjects.options.sql, [scope.place], {
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
      await subject.tell()
    })
  }
}
