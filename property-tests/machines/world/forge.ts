/**
 * A forge and the mirror of it. What people and the platform do here is true at once; the actors learn of it when a
 * subject is told, by the real edge's tellings, in any order and as late as the history wants.
 */
import {
  commentNotifications,
  factsFor,
  factsNotification,
  subjectAddress,
} from '../../../edges/forge/mirror/facts/notifications.ts'
import { withTelling } from '../../../edges/forge/mirror/facts/hands.ts'
import { notesAfter, signedEdit, textHash } from '../../../edges/forge/mirror/facts/subject-text.ts'
import type { People } from '../../../edges/forge/mirror/facts/people.ts'
import type {
  MirroredComment,
  MirroredIssue,
  MirroredMergeRequest,
  MirroredSubject,
} from '../../../edges/forge/mirror/facts/records.ts'
import type { ForgeComment } from '../../../edges/forge/port.ts'
import type { ProjectSettings } from '../../../edges/forge/projects.ts'
import type { ActorAddress, JsonObject, MachineEvent } from '../../../machines/definition.ts'
import { judgeComment } from '../../../machines/rules/approval-grammar.ts'
import type { Actors } from './actors.ts'
import { account, botLogin, isMaintainer, triggerLabel, type Hand, type Login } from './people.ts'
import type { CausedBy } from './trace.ts'

export interface Subject<Row extends MirroredSubject = MirroredSubject> {
  row: Row
  thread: readonly MirroredComment[]
  isDirty: boolean
  /** What people did here that no maintainer answered: ids of maintainers' withdrawals, `text` for an edit of it by others. */
  holds: readonly string[]
}

/** What the mirror makes of a telling of a comment, and of an edit of an issue. */
export type Hands = typeof withTelling
export type Texts = typeof notesAfter

export type IssueSubject = Subject<MirroredIssue>
export interface MergeRequestSubject extends Subject<MirroredMergeRequest> {
  /** Issues that the forge closes with its merge. */
  closes: readonly number[]
  /** The Task that opened it; empty: a person did. */
  task: string
}

const untold = {
  project: 'uid',
  forgeId: '1',
  complete: true,
  factsHash: '',
  revision: 0,
  updatedAt: 0,
  seenAt: 0,
} as const

type ChangedComment = readonly [ForgeComment, 'edited' | 'deleted']

/** How a lost event shows. */
const unnamed = { edited: 'read', deleted: 'deleted' } as const

function holdsAfter(holds: readonly string[], id: string, body: string): readonly string[] {
  const judged = judgeComment(body)
  if (judged === 'withdraws') return [...holds, id]
  return judged === 'approves' ? [] : holds
}

export class Forge {
  readonly project: ProjectSettings
  readonly people: People
  readonly #actors: Actors
  readonly #hands: Hands
  readonly #texts: Texts
  readonly issues: IssueSubject[] = []
  readonly mergeRequests: MergeRequestSubject[] = []
  /** Heads of the branches that pods and people pushed. */
  readonly branches = new Map<string, string>()
  /** By head: what the record of pushes gives to nobody who may let it merge, newest first. */
  readonly foreign = new Map<string, readonly { readonly sha: string; readonly by: string }[]>()
  /** Effects whose issue is there. */
  readonly filed = new Set<string>()
  #ids = 0

  constructor(
    project: ProjectSettings,
    people: People,
    actors: Actors,
    hands: Hands = withTelling,
    texts: Texts = notesAfter,
  ) {
    this.project = project
    this.people = people
    this.#actors = actors
    this.#hands = hands
    this.#texts = texts
  }

  /** The same moment again; subjects are copied, for they change in place. */
  fork(actors: Actors): Forge {
    const other = new Forge(this.project, this.people, actors, this.#hands, this.#texts)
    other.issues.push(...this.issues.map((subject) => ({ ...subject })))
    other.mergeRequests.push(...this.mergeRequests.map((subject) => ({ ...subject })))
    for (const [branch, sha] of this.branches) other.branches.set(branch, sha)
    for (const [sha, commits] of this.foreign) other.foreign.set(sha, commits)
    for (const key of this.filed) other.filed.add(key)
    other.#ids = this.#ids
    return other
  }

  #next(prefix: string): string {
    this.#ids += 1
    return `${prefix}${this.#ids}`
  }

  /** `isKnown`: the platform follows it though nobody labelled it. */
  openIssue(repository: string, author: Login, isLabelled: boolean, isKnown = false): void {
    const number = this.issues.length + 1
    const issue = {
      number,
      title: `Wish ${number}`,
      body: 'please',
      state: 'open',
      author: account(author),
      labels: isLabelled ? [triggerLabel] : [],
      url: `https://forge.test/acme/${repository}/issues/${number}`,
      createdAt: this.#actors.now,
      updatedAt: this.#actors.now,
      comments: 0,
    } as const
    const notes = { editedByOther: false, unwantedByMaintainer: false, ...(isLabelled ? { labelledBy: 'maya' } : {}) }
    this.issues.push({
      row: { ...untold, repository, kind: 'issue', number, issue, notes, revision: isKnown ? 1 : 0 },
      thread: [],
      isDirty: true,
      holds: [],
    })
  }

  openMergeRequest(repository: string, branch: string, author: Login): MergeRequestSubject {
    const number = 50 + this.mergeRequests.length
    const headSha = this.branches.get(`${repository}/${branch}`) ?? this.#push(repository, branch, author)
    const mergeRequest = {
      number,
      title: 'A change',
      body: '',
      state: 'open',
      author: account(author),
      url: `https://forge.test/acme/${repository}/pull/${number}`,
      draft: false,
      headSha,
      headBranch: branch,
      headRepository: `acme/${repository}`,
      baseBranch: 'main',
      labels: [],
      mergeable: true,
      createdAt: this.#actors.now,
      updatedAt: this.#actors.now,
    } as const
    const notes = {
      headSince: this.#actors.now,
      headAt: this.#actors.now,
      pushedBy: author,
      headByBot: author === botLogin,
      ci: 'success',
    } as const
    const subject: MergeRequestSubject = {
      row: { ...untold, repository, kind: 'mr', number, mergeRequest, notes },
      thread: [],
      isDirty: true,
      holds: [],
      closes: [],
      task: '',
    }
    this.mergeRequests.push(subject)
    return subject
  }

  /** Each push adds one commit. Who may not let it merge leaves a foreign one behind. */
  #push(repository: string, branch: string, by: Login): string {
    const sha = this.#next('sha-')
    const place = `${repository}/${branch}`
    const before = this.foreign.get(this.branches.get(place) ?? '') ?? []
    const mayMerge = by === botLogin || isMaintainer(by)
    this.foreign.set(sha, mayMerge ? before : [{ sha, by }, ...before])
    this.branches.set(place, sha)
    return sha
  }

  /** A new head; the open merge request of the branch follows it, its checks begin anew. */
  push(repository: string, branch: string, by: Login): void {
    const headSha = this.#push(repository, branch, by)
    const open = this.openOn(repository, branch)
    if (!open) return
    const notes = {
      headSince: this.#actors.now,
      headAt: this.#actors.now,
      pushedBy: by,
      headByBot: by === botLogin,
      ci: 'success',
    } as const
    open.row = { ...open.row, notes, mergeRequest: { ...open.row.mergeRequest, headSha, mergeable: true } }
    open.isDirty = true
  }

  openOn(repository: string, branch: string): MergeRequestSubject | undefined {
    return this.mergeRequests.find(
      ({ row }) =>
        row.repository === repository && row.mergeRequest.headBranch === branch && row.mergeRequest.state === 'open',
    )
  }

  issue(repository: string, number: number): IssueSubject | undefined {
    return this.issues.find(({ row }) => row.repository === repository && row.number === number)
  }

  mergeRequest(repository: string, number: number): MergeRequestSubject | undefined {
    return this.mergeRequests.find(({ row }) => row.repository === repository && row.number === number)
  }

  comment(subject: Subject, by: Login, body: string): void {
    const { row } = subject
    const at = this.#actors.now
    const id = this.#next('c')
    const comment = {
      id,
      sort: 'comment',
      on: row.kind,
      number: row.number,
      author: account(by),
      body,
      url: `#${id}`,
      createdAt: at,
      updatedAt: at,
    } as const
    const said = this.#hands(undefined, comment, { action: 'created', by: account(by), news: true }, at)
    if (said) subject.thread = [...subject.thread, said]
    subject.isDirty = true
    if (isMaintainer(by)) subject.holds = holdsAfter(subject.holds, id, body)
  }

  /** The newest comment of that account, by whoever may write to the repository. */
  deleteComment(subject: Subject, author: Login, by: Hand = author as Hand): void {
    this.#change(subject, author, by, (comment) => [comment, 'deleted'])
  }

  editComment(subject: Subject, author: Login, by: Hand, body: string): void {
    const updatedAt = this.#actors.now
    this.#change(subject, author, by, (comment) => [{ ...comment, body, updatedAt }, 'edited'])
  }

  #change(subject: Subject, author: Login, by: Hand, change: (comment: ForgeComment) => ChangedComment): void {
    const row = subject.thread.findLast(
      ({ comment, deletedAt }) => comment.author.login === author && deletedAt === undefined,
    )
    if (!row) return
    const [comment, action] = change(row.comment)
    const named = by === 'nobody' ? undefined : account(by)
    const hint = named ? { action, by: named, news: false } : { action: unnamed[action], news: false }
    const now = this.#hands(row, comment, hint, this.#actors.now) ?? row
    subject.thread = subject.thread.map((one) => (one === row ? now : one))
    subject.isDirty = true
    if (by !== author || !isMaintainer(author)) return
    const left = subject.holds.filter((id) => id !== comment.id)
    const isHeld = action === 'edited' && judgeComment(comment.body) === 'withdraws'
    subject.holds = isHeld ? [...left, comment.id] : left
  }

  /** The mirror's rows of a thread are lost, and made anew of what the forge lists now. */
  forget(subject: Subject): void {
    subject.thread = subject.thread
      .filter(({ deletedAt }) => deletedAt === undefined)
      .flatMap(
        ({ comment }) => this.#hands(undefined, comment, { action: 'read', news: false }, this.#actors.now) ?? [],
      )
    subject.isDirty = true
  }

  changeIssue(
    subject: IssueSubject,
    issue: Partial<MirroredIssue['issue']>,
    notes: Partial<MirroredIssue['notes']> = {},
  ): void {
    subject.row = {
      ...subject.row,
      issue: { ...subject.row.issue, ...issue },
      notes: { ...subject.row.notes, ...notes },
    }
    subject.isDirty = true
  }

  /** Its body, by whoever may write to the repository. */
  editIssue(subject: IssueSubject, by: Hand, body: string): void {
    const { issue, notes } = subject.row
    const edited = { ...issue, body, updatedAt: this.#actors.now }
    const isTrusted = by !== 'nobody' && (isMaintainer(by) || by === botLogin)
    const event = { action: 'edited', by: account(by as Login), before: { body: issue.body } } as const
    const edit = by === 'nobody' ? undefined : signedEdit(event, edited, () => isTrusted)
    const { editedByOther: _e, othersAt: _o, doubt: _d, ...kept } = notes
    const known = { hash: textHash(issue), at: issue.updatedAt, notes }
    const text = this.#texts(known, { hash: textHash(edited), at: edited.updatedAt }, edit)
    subject.row = { ...subject.row, issue: edited, notes: { ...kept, ...text } }
    subject.isDirty = true
    if (!isTrusted && body !== issue.body) subject.holds = [...new Set([...subject.holds, 'text'])]
  }

  /** An open one is closed; `closedBy` of an open one means nothing. */
  closeIssue(subject: IssueSubject, by: Login): void {
    if (subject.row.issue.state === 'open')
      this.changeIssue(subject, { state: 'closed', closedBy: account(by) }, { closedBy: by })
  }

  changeMergeRequest(
    subject: MergeRequestSubject,
    change: Partial<MirroredMergeRequest['mergeRequest']>,
    notes: Partial<MirroredMergeRequest['notes']> = {},
  ): void {
    subject.row = {
      ...subject.row,
      mergeRequest: { ...subject.row.mergeRequest, ...change },
      notes: { ...subject.row.notes, ...notes },
    }
    subject.isDirty = true
  }

  /** Merged by whoever may; the forge closes what it closes in that account's name. */
  merge(subject: MergeRequestSubject, by: Login): void {
    const { state, headSha } = subject.row.mergeRequest
    if (state !== 'open') return
    this.changeMergeRequest(subject, { state: 'merged', mergeCommit: `merge-of-${headSha}` })
    for (const number of subject.closes) {
      const issue = this.issue(subject.row.repository, number)
      if (issue) this.closeIssue(issue, by)
    }
  }

  get dirty(): readonly Subject[] {
    return [...this.issues, ...this.mergeRequests].filter(({ isDirty }) => isDirty)
  }

  /** A maintainer's hand: it is told whatever the facts are. */
  labelAnew(subject: IssueSubject): void {
    this.tell(subject)
    const context = { project: this.project, people: this.people, thread: subject.thread }
    const facts = factsFor(subject.row, context)
    if (facts === undefined) return
    const told = factsNotification(subject.row, facts, context, this.#actors.now)
    this.#actors.post('mirror', { ...told, key: this.#next('labelled-'), event: { ...told.event, retry: true } })
  }

  /** Told in two parts, so that what our own comments set going is known as theirs (LAW-4). */
  tell(subject: Subject): void {
    subject.isDirty = false
    const isOwn = (one: MirroredComment): boolean => one.comment.author.login === botLogin
    this.#tell(
      subject,
      subject.thread.filter((one) => one.notified || !isOwn(one)),
      'people',
    )
    this.#tell(subject, subject.thread, 'bot')
  }

  #tell(subject: Subject, thread: readonly MirroredComment[], causedBy: CausedBy): void {
    const context = { project: this.project, people: this.people, thread }
    const { now } = this.#actors
    const facts = factsFor(subject.row, context)
    if (facts === undefined) return
    const isHeld = subject.holds.length > 0
    if (facts.hash !== subject.row.factsHash) {
      subject.row = { ...subject.row, revision: subject.row.revision + 1, factsHash: facts.hash }
      const delivery = factsNotification(subject.row, facts, context, now)
      const event = subject.row.kind === 'issue' ? this.#withMerge(subject.row, delivery.event) : delivery.event
      this.#actors.post('mirror', { ...delivery, event, causedBy, isHeld })
    }
    const comments = commentNotifications(subject.row, context, now)
    for (const delivery of comments) this.#actors.post('mirror', { ...delivery, causedBy })
    const told = new Set(thread.map(({ comment }) => comment.id))
    subject.thread = subject.thread.map((one) => (told.has(one.comment.id) ? { ...one, notified: true } : one))
  }

  /** With the facts goes whose merge request about the issue was merged last. */
  #withMerge({ repository, number }: MirroredIssue, event: MachineEvent): MachineEvent {
    const merged = this.mergeRequests.findLast(
      ({ row, closes, task }) =>
        task !== '' && row.repository === repository && row.mergeRequest.state === 'merged' && closes.includes(number),
    )
    const facts = event['facts'] as JsonObject
    return merged ? { ...event, facts: { ...facts, mergedFor: merged.task } } : event
  }

  actorOf(subject: Subject): ActorAddress {
    return subjectAddress(this.project, subject.row)
  }
}
