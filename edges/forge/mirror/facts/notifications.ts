/**
 * Tells the actor of an issue or merge request what the mirror knows and it doesn't: the facts when they differ from
 * those of the last telling, then every gated human's comment once. The keys come from what is told, not from the
 * delivery that brought it, so that webhook, redelivery and resync of one thing are one event (R3).
 */
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import type { MergeRequestFacts } from '../../../../machines/merge-request/events.ts'
import { judgeComment } from '../../../../machines/rules/approval-grammar.ts'
import { commandsIn, type CommandName } from '../../../../machines/rules/commands.ts'
import { isTaskBranch } from '../../../../machines/rules/names.ts'
import { amountOf } from '../../../../machines/rules/spending.ts'
import { sameLogin } from '../../../../machines/rules/logins.ts'
import type { Delivery } from '../../../../runtime/runtime.ts'
import { addressOf } from '../../../../runtime/address.ts'
import { contentHash } from '../../hash.ts'
import type { ForgeComment } from '../../port.ts'
import { forgePath, repositoryNamed, type ProjectSettings } from '../../projects.ts'
import { issueFactsOf, mergeRequestFactsOf, type FactsContext } from './facts.ts'
import { isHeardComment, isHeardSubject } from './gate.ts'
import { isOwnText } from './hands.ts'
import type { People } from './people.ts'
import type { MirroredComment, MirroredIssue, MirroredMergeRequest, MirroredSubject, SubjectKey } from './records.ts'
import type { ActorAddress } from '../../../../machines/definition.ts'

/** What the machine of a subject is to know of it. */
export interface Facts {
  readonly facts: IssueFacts | MergeRequestFacts
  readonly hash: string
}

/** NAME-3: Issue `<repo>-<n>`, MergeRequest `<repo>-mr-<n>`, under the Project's namespace. */
export function subjectAddress(
  project: ProjectSettings,
  key: Pick<SubjectKey, 'repository' | 'kind' | 'number'>,
): ActorAddress {
  const id = `${project.namespace}/${key.repository}-${key.kind === 'mr' ? 'mr-' : ''}${key.number}`
  return addressOf(key.kind === 'issue' ? 'issue' : 'merge-request', id)
}

/** Nobody needs an actor for an issue that the platform has nothing to do with; one that has an actor keeps it told. */
export function factsFor(row: MirroredSubject, context: FactsContext): Facts | undefined {
  const facts = row.kind === 'issue' ? issueFactsOf(row, context) : mergeRequestFactsOf(row, context)
  const concerns = row.revision > 0 || facts.wanted || isOurs(row, context.people)
  return concerns ? { facts, hash: contentHash(facts) } : undefined
}

/** Under the number that the row has. */
export function factsNotification(
  row: MirroredSubject,
  { facts, hash }: Facts,
  { project }: Pick<FactsContext, 'project'>,
  at: number,
): Delivery {
  const { kind, revision } = row
  const event = { type: kind === 'issue' ? 'issue.observed' : 'mr.observed', at, facts: { ...facts, revision } }
  return { to: subjectAddress(project, row), key: `observed/${revision}/${hash.slice(0, 16)}`, event }
}

/** A merge request that the platform opened: its actor exists before anybody else can write there. */
export function isOurs(row: MirroredSubject, people: People): boolean {
  return row.kind === 'mr' && (people.isOwn(row.mergeRequest.author) || isTaskBranch(row.mergeRequest.headBranch))
}

/** Events of the comments that were not told yet; those of bots and strangers, and what is here without its words, give none (PEOPLE-4). */
export function commentNotifications(row: MirroredSubject, context: FactsContext, at: number): readonly Delivery[] {
  const to = subjectAddress(context.project, row)
  return unnotified(context.thread).flatMap((one) => {
    const { people } = context
    const { comment } = one
    if (comment.withoutWords === true) return []
    if (people.isOwnComment(comment) || !people.isGatedHuman(comment.author) || !isHeardComment(one, people)) return []
    return row.kind === 'issue'
      ? issueComment(to, one, row, people, at)
      : mergeRequestComment(to, one, row, context, at)
  })
}

export function unnotified(thread: readonly MirroredComment[]): readonly MirroredComment[] {
  return thread.filter((one) => !one.notified && one.deletedAt === undefined)
}

/** What other hands wrote, or perhaps did, is words, and no maintainer's. */
function issueComment(
  to: ActorAddress,
  commentRow: MirroredComment,
  { issue: { state } }: MirroredIssue,
  people: People,
  at: number,
): Delivery[] {
  const { comment } = commentRow
  const maintainer = isOwnText(commentRow) && people.isMaintainer(comment.author)
  const command = maintainer ? commandOf(comment.body, ['cancel', 'retry']) : undefined
  const author = comment.author.login
  const amount = maintainer && command === undefined ? amountIn(comment.body) : undefined
  if (command !== undefined || amount !== undefined) {
    const fields = amount === undefined ? { command } : { command: 'budget', amount }
    return [{ to, key: `command/${comment.id}`, event: { type: 'issue.command', at, ...fields, by: author, state } }]
  }
  return [
    {
      to,
      key: `comment/${comment.id}`,
      event: { type: 'issue.commented', at, commentId: comment.id, author, maintainer, text: comment.body },
    },
  ]
}

function mergeRequestComment(
  to: ActorAddress,
  commentRow: MirroredComment,
  row: MirroredMergeRequest,
  { people, project }: FactsContext,
  at: number,
): Delivery[] {
  const { comment } = commentRow
  const isOwn = isOwnText(commentRow)
  const maintainer = people.isMaintainer(comment.author)
  const author = comment.author.login
  const command =
    isOwn && isTakeover(comment, row, project, maintainer)
      ? 'takeover'
      : maintainer
        ? mergeRequestCommand(isOwn ? comment : { ...comment, body: '' }, row)
        : undefined
  if (command !== undefined) {
    const amount = command === 'budget' ? amountIn(comment.body) : undefined
    const { headSha } = row.mergeRequest
    const fields = command === 'goAhead' ? { kind: kindOf(comment), text: textOf(comment) } : {}
    return [
      {
        to,
        key: `command/${comment.id}`,
        event: {
          type: 'mr.command',
          at,
          command,
          by: author,
          headSha,
          commentId: comment.id,
          ...(amount === undefined ? {} : { amount }),
          ...fields,
        },
      },
    ]
  }
  const text = textOf(comment)
  if (text === '') return []
  const kind = kindOf(comment)
  return [
    {
      to,
      key: `comment/${comment.id}`,
      event: { type: 'mr.commented', at, commentId: comment.id, author, maintainer: maintainer && isOwn, text, kind },
    },
  ]
}

function kindOf({ sort }: ForgeComment): 'mr_comment' | 'mr_review' {
  return sort === 'comment' ? 'mr_comment' : 'mr_review'
}

/** Its author or a maintainer, and only of a branch that we can push to (OWNERSHIP-10). */
function isTakeover(
  { body, author }: ForgeComment,
  { mergeRequest, repository }: MirroredMergeRequest,
  project: ProjectSettings,
  maintainer: boolean,
): boolean {
  const mayAsk = maintainer || sameLogin(author.login, mergeRequest.author.login)
  const settings = repositoryNamed(project, repository)
  const path = settings === undefined ? undefined : forgePath(settings, project.scm)
  const isReachable = mergeRequest.headRepository?.toLowerCase() === path?.toLowerCase()
  return mayAsk && isReachable && commandOf(body, ['takeover']) !== undefined
}

/**
 * A go-ahead speaks of the head that its author could see: none that came after it (REVIEW-6). Words that stop or
 * withdraw outweigh it, a review that approves included.
 */
function mergeRequestCommand(
  comment: ForgeComment,
  row: MirroredMergeRequest,
): 'goAhead' | 'cancel' | 'retry' | 'budget' | undefined {
  const command = commandOf(comment.body, ['cancel', 'approve', 'retry'])
  if (command === 'cancel' || command === 'retry') return command
  const sawHead =
    comment.sha === undefined ? comment.createdAt >= row.notes.headAt : comment.sha === row.mergeRequest.headSha
  const approves = command === 'approve' || comment.verdict === 'approved'
  if (approves && sawHead && judgeComment(comment.body) !== 'withdraws') return 'goAhead'
  return amountIn(comment.body) === undefined ? undefined : 'budget'
}

/** `/budget +N`: how much it asks for. One that names no amount is a comment like others. */
function amountIn(text: string): number | undefined {
  return commandsIn(text)
    .filter(({ name }) => name === 'budget')
    .map(({ argument }) => amountOf(argument))
    .find((amount) => amount !== undefined)
}

function commandOf<Name extends CommandName>(text: string, names: readonly Name[]): Name | undefined {
  const given = commandsIn(text).map((command) => command.name)
  return names.find((name) => given.includes(name))
}

function textOf({ body, verdict, path, line }: ForgeComment): string {
  const location = path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
  if (body.trim() !== '') return `${location}${body}`
  if (verdict === 'changesRequested') return 'requested changes'
  return verdict === 'approved' ? 'approved' : ''
}

export function issueEditedNotification(
  row: MirroredIssue,
  { project, people }: Pick<FactsContext, 'project' | 'people'>,
  delivery: string,
  author: string,
  at: number,
): Delivery {
  const event = {
    type: 'issue.event',
    at,
    kind: 'issue_edited',
    author,
    text: isHeardSubject(row, people) ? row.issue.title : '',
  }
  return { to: subjectAddress(project, row), key: `edited/${delivery}`, event }
}
