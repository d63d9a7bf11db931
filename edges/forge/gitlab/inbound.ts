/**
 * GitLab's webhooks: verify, decode, map (WEBHOOKS-6, WEBHOOKS-21, WEBHOOKS-24). A payload names who acted, and of authors
 * the id alone. So an issue or merge request is read from the forge, which also hides what is confidential.
 */
import { createHash, createHmac } from 'node:crypto'
import { Type, type Static, type TSchema } from 'typebox'
import { constantTimeEqual } from '../../../http/auth/hmac.ts'
import type { ForgeChange, IssueAction, MergeRequestAction, SubjectAct, SubjectChange, TextBefore } from '../change.ts'
import { faultOf, Maybe } from '../transport/answer.ts'
import { MalformedPayloadError, type WebhookDialect } from '../webhooks/dialect.ts'
import { accountOf, anyCommentOf, timeOf, type Thread } from './records.ts'
import * as schema from './schema.ts'

const Project = Type.Object({ id: Type.Integer(), path_with_namespace: Type.String() })
const Envelope = { project: Project, user: schema.Account }
const Changed = <T extends TSchema>(value: T) =>
  Type.Optional(Type.Object({ previous: Maybe(value), current: Maybe(value) }))
const Labels = Type.Array(Type.Object({ title: Type.String() }))
const Changes = Maybe(
  Type.Object({
    title: Changed(Type.String()),
    description: Changed(Type.String()),
    labels: Changed(Labels),
    reviewers: Type.Optional(Type.Unknown()),
  }),
)
type Changes = Static<typeof Changes> | undefined

const SubjectFields = {
  iid: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  description: Maybe(Type.String()),
  updated_at: schema.Time,
  action: Maybe(Type.String()),
  labels: Type.Optional(Labels),
}

const Numbered = Maybe(Type.Object({ iid: Type.Integer({ minimum: 1 }), confidential: Maybe(Type.Boolean()) }))
const Actor = Maybe(Type.Object({ id: Maybe(Type.Integer()), username: Maybe(Type.String()) }))

const IssueHook = Type.Object({ ...Envelope, object_attributes: Type.Object(SubjectFields), changes: Changes })
const NoteHook = Type.Object({
  ...Envelope,
  object_attributes: Type.Object({
    id: Type.Integer(),
    note: Type.String(),
    type: Maybe(Type.String()),
    author_id: Type.Integer(),
    system: Maybe(Type.Boolean()),
    internal: Maybe(Type.Boolean()),
    action: Maybe(Type.String()),
    url: Type.String(),
    created_at: schema.Time,
    updated_at: schema.Time,
    position: Maybe(schema.Position),
  }),
  issue: Numbered,
  merge_request: Numbered,
})

const payloads = {
  'Push Hook': Type.Object({
    project: Project,
    ref: Type.String(),
    before: Type.String(),
    after: Type.String(),
    user_id: Type.Integer(),
    user_username: Type.String(),
  }),
  'Issue Hook': IssueHook,
  'Confidential Issue Hook': IssueHook,
  'Note Hook': NoteHook,
  'Confidential Note Hook': NoteHook,
  'Merge Request Hook': Type.Object({
    ...Envelope,
    object_attributes: Type.Object({
      ...SubjectFields,
      oldrev: Maybe(Type.String()),
      last_commit: Maybe(Type.Object({ id: Type.String() })),
    }),
    changes: Changes,
  }),
  'Pipeline Hook': Type.Object({
    project: Project,
    user: Actor,
    object_attributes: Type.Object({ sha: Type.String() }),
    merge_request: Maybe(Type.Object({ iid: Type.Integer({ minimum: 1 }), target_project_id: Type.Integer() })),
  }),
  // Older servers name the project of a job in no way that is a path.
  'Job Hook': Type.Object({ project: Maybe(Project), user: Actor, sha: Type.String() }),
} satisfies Record<string, TSchema>

type EventName = keyof typeof payloads
type Payload<E extends EventName> = Static<(typeof payloads)[E]>
type Mapping = { readonly [E in EventName]: (payload: Payload<E>) => ForgeChange | undefined }

const mappings: Mapping = {
  'Push Hook': ({ project, ref, before, after, user_id, user_username }) => ({
    path: project.path_with_namespace,
    by: accountOf({ id: user_id, username: user_username }),
    kind: 'push',
    ref,
    before,
    after,
  }),
  'Issue Hook': issueChange,
  'Confidential Issue Hook': issueChange,
  'Note Hook': (payload) => noteChange(payload, false),
  'Confidential Note Hook': (payload) => noteChange(payload, true),
  'Merge Request Hook': ({ object_attributes: found, changes, ...rest }) => {
    const isPushed = typeof found.oldrev === 'string'
    return {
      ...originOf(rest),
      kind: 'subject',
      on: 'mr',
      ...shownIn(found, changes),
      acts: actsOf(mergeRequestActions, isPushed ? { ...found, action: 'push' } : found, changes),
      ...(found.last_commit ? { headSha: found.last_commit.id } : {}),
      ...(isPushed ? { beforeSha: found.oldrev ?? '' } : {}),
      // A push may take approvals away without an event of its own.
      ...(isPushed || touchesReviews(found.action, changes) ? { thread: true } : {}),
      ...(revoking.has(found.action ?? '') ? { revokes: true } : {}),
    }
  },
  'Pipeline Hook': ({ project, user, object_attributes: { sha }, merge_request }) => ({
    path: project.path_with_namespace,
    by: actorOf(user),
    kind: 'ci',
    sha,
    ...(merge_request?.target_project_id === project.id ? { mergeRequest: merge_request.iid } : {}),
  }),
  'Job Hook': ({ project, user, sha }) =>
    project ? { path: project.path_with_namespace, by: actorOf(user), kind: 'ci', sha } : undefined,
}

export const gitlabWebhooks: WebhookDialect = {
  eventOf: (headers) => textOf(headers['x-gitlab-event']) ?? '',
  deliveryOf(headers, body) {
    const named = headers['idempotency-key'] ?? headers['webhook-id']
    if (named === undefined) return `sha256-${hashOf(gitlabWebhooks.eventOf(headers), body)}`
    const delivery = textOf(named)
    return delivery !== undefined && /^[\w-]{1,128}$/.test(delivery) ? delivery : undefined
  },
  verify(secret, headers, body, now) {
    if (secret === '') return false
    const signatures = textOf(headers['webhook-signature'])
    if (signatures !== undefined && secret.startsWith(SIGNING_PREFIX)) return isSigned(secret, headers, body, now)
    const token = textOf(headers['x-gitlab-token'])
    return token !== undefined && constantTimeEqual(secret, token)
  },
  handles: isEvent,
  isPing: () => false,
  conceal(event, payload) {
    if (!isConcealed(event) || faultOf(payloads[event], payload) !== undefined) return payload
    return concealing[event](payload as never)
  },
  changeOf(event, payload) {
    if (!isEvent(event)) return undefined
    const fault = faultOf(payloads[event], payload)
    if (fault !== undefined) throw new MalformedPayloadError(`${event}: ${fault}`)
    return mappings[event](payload as never)
  },
}

const concealing = {
  'Confidential Issue Hook': ({ project, user, object_attributes: { iid, updated_at } }: Payload<'Issue Hook'>) => ({
    ...whereIn({ project, user }),
    object_attributes: { iid, title: '', updated_at },
  }),
  'Confidential Note Hook': ({
    project,
    user,
    object_attributes: found,
    issue,
    merge_request,
  }: Payload<'Note Hook'>) => {
    const { id, author_id, system, action, url, created_at, updated_at } = found
    const about = { id, author_id, system, action, url, created_at, updated_at, note: '', internal: true }
    return {
      ...whereIn({ project, user }),
      object_attributes: about,
      ...(issue ? { issue: { iid: issue.iid } } : {}),
      ...(merge_request ? { merge_request: { iid: merge_request.iid } } : {}),
    }
  },
} as const

function isConcealed(event: string): event is keyof typeof concealing {
  return Object.hasOwn(concealing, event)
}

function whereIn({ project: { id, path_with_namespace }, user: { id: account, username } }: Origin): Origin {
  return { project: { id, path_with_namespace }, user: { id: account, username } }
}

function isEvent(event: string): event is EventName {
  return Object.hasOwn(payloads, event)
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header
}

function hashOf(event: string, body: Buffer): string {
  return createHash('sha256').update(`${event}\n`).update(body).digest('hex')
}

const SIGNING_PREFIX = 'whsec_'
/** Standard Webhooks (standardwebhooks.com): who replays has no longer. */
const TOLERANCE_MS = 5 * 60_000

function isSigned(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  now: number,
): boolean {
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    textOf(headers[name]),
  )
  if (id === undefined || at === undefined || signatures === undefined) return false
  if (!/^\d{1,12}$/.test(at) || Math.abs(Number(at) * 1000 - now) > TOLERANCE_MS) return false
  const key = Buffer.from(secret.slice(SIGNING_PREFIX.length), 'base64')
  if (key.length === 0) return false
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`
  return signatures.split(' ').some((one) => constantTimeEqual(expected, one))
}

type Origin = { readonly project: Static<typeof Project>; readonly user: schema.Account }

function originOf({ project, user }: Origin): { path: string; by: ReturnType<typeof accountOf> } {
  return { path: project.path_with_namespace, by: accountOf(user) }
}

/** Older servers and jobs name nobody, or not by login. */
function actorOf(user: Static<typeof Actor> | undefined): ReturnType<typeof accountOf> {
  const isNamed = typeof user?.id === 'number' && typeof user.username === 'string'
  return accountOf(isNamed ? { id: user.id!, username: user.username! } : null)
}

interface HookSubject {
  readonly iid: number
  readonly title: string
  readonly description?: string | null
  readonly updated_at: string
  readonly action?: string | null
  readonly labels?: Static<typeof Labels>
}

/** GitLab makes addresses of images whole in a description. What changed comes as it was written. */
function shownIn(
  { iid, title, description, updated_at }: HookSubject,
  changes: Changes,
): Pick<SubjectChange, 'number' | 'text'> {
  const body = changes?.description?.current ?? description ?? ''
  return { number: iid, text: { title, body, updatedAt: timeOf(updated_at) } }
}

function textBefore(changes: Changes): TextBefore {
  return {
    ...(changes?.title && { title: changes.title.previous ?? '' }),
    ...(changes?.description && { body: changes.description.previous ?? '' }),
  }
}

const issueActions: Readonly<Record<string, IssueAction>> = { open: 'opened', close: 'closed', reopen: 'reopened' }
const mergeRequestActions: Readonly<Record<string, MergeRequestAction>> = {
  open: 'opened',
  close: 'closed',
  merge: 'closed',
  reopen: 'reopened',
  push: 'pushed',
}

/**
 * One event says everything that was done at once, and the edit comes first: it signs the text that all others see. A new
 * one was given its labels by whoever opened it.
 */
function actsOf(
  actions: Readonly<Record<string, SubjectAct['action']>>,
  { action, labels }: HookSubject,
  changes: Changes,
): readonly SubjectAct[] {
  const isNew = action === 'open'
  const main = actions[action ?? '']
  const before = titlesIn(changes?.labels?.previous)
  const after = titlesIn(isNew ? labels : changes?.labels?.current)
  const isEdited = !isNew && (changes?.title !== undefined || changes?.description !== undefined)
  const acts: readonly SubjectAct[] = [
    ...(isEdited ? [{ action: 'edited' as const, before: textBefore(changes) }] : []),
    ...(main === undefined ? [] : [{ action: main }]),
    ...after.filter((label) => !before.includes(label)).map((label) => ({ action: 'labeled' as const, label })),
    ...before.filter((label) => !after.includes(label)).map((label) => ({ action: 'unlabeled' as const, label })),
  ]
  return acts.length === 0 ? [{ action: 'other' }] : acts
}

function titlesIn(labels: Static<typeof Labels> | null | undefined): readonly string[] {
  return (labels ?? []).map(({ title }) => title)
}

/** `approved` and `unapproved` are of all who have to, the others of one person. */
const revoking = new Set(['unapproved', 'unapproval'])
const reviewing = new Set(['approved', 'approval', ...revoking])

function touchesReviews(action: string | null | undefined, changes: Changes): boolean {
  return reviewing.has(action ?? '') || changes?.reviewers !== undefined
}

function issueChange({ object_attributes: issue, changes, ...rest }: Payload<'Issue Hook'>): ForgeChange {
  return {
    ...originOf(rest),
    kind: 'subject',
    on: 'issue',
    ...shownIn(issue, changes),
    acts: actsOf(issueActions, issue, changes),
  }
}

/** Notes on commits and snippets have no thread here, and what GitLab writes itself is nobody's word. */
function noteChange(
  { object_attributes: found, issue, merge_request, ...origin }: Payload<'Note Hook'>,
  isHidden: boolean,
): ForgeChange | undefined {
  const subject = issue ?? merge_request
  if (!subject || found.system === true) return undefined
  const on = issue ? 'issue' : 'mr'
  // GitLab names the author as the one who acts, whoever edited it (`Notes::UpdateService`): the hand stays unknown.
  if (found.action === 'update' || found.author_id !== origin.user.id)
    return { ...originOf(origin), kind: 'thread', on, number: subject.iid }
  const thread: Thread = { on, number: subject.iid, url: found.url.replace(/#.*$/, '') }
  const note: schema.Note = { ...found, body: found.note, author: origin.user }
  const confidential = isHidden || found.internal === true || issue?.confidential === true
  return {
    ...originOf(origin),
    kind: 'comment',
    action: 'created',
    comment: anyCommentOf(note, thread),
    ...(confidential ? { confidential } : {}),
  }
}
