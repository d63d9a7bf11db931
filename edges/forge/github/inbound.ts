/** GitHub's webhooks: verify, decode, map (WEBHOOK-RULE-1, WEBHOOK-RULE-3). */
import { Type, type Static, type TSchema } from 'typebox'
import { verifyHmac } from '../../../http/auth/hmac.ts'
import type { CommentAction, ForgeChange, IssueAction, MergeRequestAction, TextBefore } from '../change.ts'
import { faultOf, Maybe } from '../transport/answer.ts'
import { MalformedPayloadError, type WebhookDialect } from '../webhooks/dialect.ts'
import type { hookEvents } from './hooks.ts'
import { accountOf, commentOf, isMergeRequest, issueOf, mergeRequestOf, reviewCommentOf, reviewOf } from './records.ts'
import * as schema from './schema.ts'

const Envelope = { repository: Type.Object({ full_name: Type.String() }), sender: Type.Optional(schema.Account) }
const Action = { ...Envelope, action: Type.String() }
const ChangedText = Type.Optional(Type.Object({ from: Maybe(Type.String()) }))
const Changes = Type.Optional(Type.Object({ title: ChangedText, body: ChangedText }))

const payloads = {
  issues: Type.Object({ ...Action, issue: schema.Issue, label: Type.Optional(schema.NamedLabel), changes: Changes }),
  issue_comment: Type.Object({ ...Action, issue: schema.Issue, comment: schema.Comment, changes: Changes }),
  pull_request: Type.Object({
    ...Action,
    pull_request: schema.PullRequest,
    changes: Changes,
    before: Type.Optional(Type.String()),
    after: Type.Optional(Type.String()),
  }),
  pull_request_review: Type.Object({
    ...Action,
    review: schema.Review,
    pull_request: schema.NumberedPull,
    changes: Changes,
  }),
  pull_request_review_comment: Type.Object({
    ...Action,
    comment: schema.ReviewComment,
    pull_request: schema.NumberedPull,
    changes: Changes,
  }),
  push: Type.Object({ ...Envelope, ref: Type.String(), before: Type.String(), after: Type.String() }),
  check_run: Type.Object({ ...Envelope, check_run: Type.Object({ head_sha: Type.String() }) }),
  check_suite: Type.Object({ ...Envelope, check_suite: Type.Object({ head_sha: Type.String() }) }),
  workflow_run: Type.Object({ ...Envelope, workflow_run: Type.Object({ head_sha: Type.String() }) }),
  status: Type.Object({ ...Envelope, sha: Type.String() }),
} satisfies Record<(typeof hookEvents)[number], TSchema>

type EventName = keyof typeof payloads
type Payloads = { readonly [E in EventName]: Static<(typeof payloads)[E]> }
type Payload<E extends EventName> = Payloads[E]
type Mapping = { readonly [E in EventName]: (payload: Payload<E>) => ForgeChange | undefined }

const mappings: Mapping = {
  issues: ({ action, issue, label, changes, ...rest }) => {
    if (isMergeRequest(issue)) return undefined
    return {
      ...origin(rest),
      kind: 'issue',
      action: issueActionOf(action),
      issue: issueOf(issue),
      ...(label === undefined ? {} : { label: label.name }),
      ...subjectBefore(changes),
    }
  },
  issue_comment: ({ action, issue, comment, changes, ...rest }) => {
    const on = isMergeRequest(issue) ? 'mr' : 'issue'
    const change = {
      ...origin(rest),
      kind: 'comment',
      action: commentActionOf(action),
      comment: commentOf(comment, on, issue.number),
      ...textBefore(changes),
    } as const
    return on === 'issue' ? { ...change, issue: issueOf(issue) } : change
  },
  pull_request: ({ action, pull_request, changes, before, after, ...rest }) => ({
    ...origin(rest),
    kind: 'mr',
    action: mergeRequestActionOf(action),
    mergeRequest: mergeRequestOf(pull_request),
    ...subjectBefore(changes),
    ...(before === undefined ? {} : { beforeSha: before }),
    ...(after === undefined ? {} : { afterSha: after }),
  }),
  pull_request_review: ({ action, review, pull_request, changes, ...rest }) => ({
    ...origin(rest),
    kind: 'comment',
    action: action === 'submitted' ? 'created' : commentActionOf(action),
    comment: reviewOf(review, pull_request.number),
    ...textBefore(changes),
  }),
  pull_request_review_comment: ({ action, comment, pull_request, changes, ...rest }) => ({
    ...origin(rest),
    kind: 'comment',
    action: commentActionOf(action),
    comment: reviewCommentOf(comment, pull_request.number),
    ...textBefore(changes),
  }),
  push: ({ ref, before, after, ...rest }) => ({ ...origin(rest), kind: 'push', ref, before, after }),
  check_run: ({ check_run, ...rest }) => ({ ...origin(rest), kind: 'ci', sha: check_run.head_sha }),
  check_suite: ({ check_suite, ...rest }) => ({ ...origin(rest), kind: 'ci', sha: check_suite.head_sha }),
  workflow_run: ({ workflow_run, ...rest }) => ({ ...origin(rest), kind: 'ci', sha: workflow_run.head_sha }),
  status: ({ sha, ...rest }) => ({ ...origin(rest), kind: 'ci', sha }),
}

export const githubWebhooks: WebhookDialect = {
  eventOf: (headers) => textOf(headers['x-github-event']) ?? '',
  deliveryOf: (headers) => {
    const delivery = textOf(headers['x-github-delivery'])
    return delivery !== undefined && /^[\w-]{1,128}$/.test(delivery) ? delivery : undefined
  },
  verify: (secret, headers, body) => verifyHmac(secret, body, textOf(headers['x-hub-signature-256'])),
  handles: isEvent,
  isPing: (event) => event === 'ping',
  changeOf: (event, payload) => {
    if (!isEvent(event) || (event === 'issues' && isPin(payload))) return undefined
    const fault = faultOf(payloads[event], payload)
    if (fault !== undefined) throw new MalformedPayloadError(`${event}: ${fault}`)
    return mappings[event](payload as never)
  },
}

function isEvent(event: string): event is EventName {
  return Object.hasOwn(payloads, event)
}

const PinAction = Type.Object({ action: Type.Union([Type.Literal('pinned'), Type.Literal('unpinned')]) })

/** A pin changes the repository's page, not the issue. GitHub sends that issue without its state and its labels. */
function isPin(payload: unknown): boolean {
  return faultOf(PinAction, payload) === undefined
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header
}

function origin({ repository, sender }: { repository: { full_name: string }; sender?: schema.Account }): {
  path: string
  by: ReturnType<typeof accountOf>
} {
  return { path: repository.full_name, by: accountOf(sender) }
}

function issueActionOf(action: string): IssueAction {
  const known: readonly IssueAction[] = ['opened', 'edited', 'closed', 'reopened', 'labeled', 'unlabeled', 'deleted']
  if (action === 'transferred') return 'deleted'
  return known.find((one) => one === action) ?? 'other'
}

function mergeRequestActionOf(action: string): MergeRequestAction {
  if (action === 'synchronize') return 'pushed'
  const known: readonly MergeRequestAction[] = ['opened', 'edited', 'closed', 'reopened', 'labeled', 'unlabeled']
  return known.find((one) => one === action) ?? 'other'
}

/** Who pins or dismisses has not written: only an edit names the hand that did. */
function commentActionOf(action: string): CommentAction {
  const known: readonly CommentAction[] = ['created', 'edited', 'deleted']
  return known.find((one) => one === action) ?? 'other'
}

function textBefore(changes: Static<typeof Changes> | undefined): { from?: string } {
  const from = changes?.body?.from
  return from === undefined || from === null ? {} : { from }
}

function subjectBefore(changes: Static<typeof Changes> | undefined): { before?: TextBefore } {
  if (changes?.title === undefined && changes?.body === undefined) return {}
  const { title, body } = changes
  return { before: { ...(title && { title: title.from ?? '' }), ...(body && { body: body.from ?? '' }) } }
}
