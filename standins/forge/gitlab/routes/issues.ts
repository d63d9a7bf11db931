import { Type, type Static } from 'typebox'
import { editIssue, findIssue, openIssue } from '../../store/issues.ts'
import { may } from '../../store/permissions.ts'
import { isPull, type Issue, type PlainIssue } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { numberParam } from '../../rest.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { InvalidInput } from '../errors.ts'
import { isAfter, listAnswer, ordered } from '../paging.ts'
import { issuePayload } from '../payloads/issues.ts'

const ISSUES = '/projects/:id/issues'

const Text = Type.Union([Type.String(), Type.Null()])
/** One text with commas, or a list. */
export const Names = Type.Union([Type.String(), Type.Array(Type.String())])
const Ids = Type.Array(Type.Integer())
const NewIssue = Type.Object({
  title: Type.String(),
  description: Type.Optional(Text),
  labels: Type.Optional(Names),
  assignee_ids: Type.Optional(Ids),
  confidential: Type.Optional(Type.Boolean()),
})
/** What an edit of an issue and of a merge request have in common. */
export const threadPatch = {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Text),
  labels: Type.Optional(Names),
  add_labels: Type.Optional(Names),
  remove_labels: Type.Optional(Names),
  assignee_ids: Type.Optional(Ids),
  state_event: Type.Optional(Type.Enum(['close', 'reopen'])),
}
const IssuePatch = Type.Object({ ...threadPatch, confidential: Type.Optional(Type.Boolean()) })
const readNewIssue = inputOf(NewIssue)
const readPatch = inputOf(IssuePatch)

export const issueRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: ISSUES,
    run: (call) => listAnswer(call, selected(call), (issue) => issuePayload(call.links, call.repository, issue)),
  },
  {
    method: 'POST',
    path: ISSUES,
    run(call) {
      const input = readNewIssue(call)
      const issue = openIssue(call.world, call.repository, call.writer, {
        title: input.title,
        body: input.description ?? null,
        labels: namesOf(input.labels) ?? [],
        assignees: loginsOf(call, input.assignee_ids) ?? [],
        confidential: input.confidential ?? false,
      })
      return { status: 201, body: issuePayload(call.links, call.repository, issue) }
    },
  },
  {
    method: 'GET',
    path: `${ISSUES}/:iid`,
    run: (call) => ({ body: issuePayload(call.links, call.repository, issueOf(call)) }),
  },
  {
    method: 'PUT',
    path: `${ISSUES}/:iid`,
    run(call) {
      const issue = issueOf(call)
      const patch = readPatch(call)
      demandSome(patch, Object.keys(IssuePatch.properties))
      const { confidential } = patch
      editIssue(call.world, call.repository, call.writer, issue, {
        ...threadPatchOf(call, issue, patch),
        ...(confidential === undefined ? {} : { confidential }),
      })
      return { body: issuePayload(call.links, call.repository, issue) }
    },
  },
]

export function issueOf(call: Call): PlainIssue {
  const issue = findIssue(call.repository, numberParam(call, 'iid'))
  if (isPull(issue) || !isVisible(call, issue)) throw new Refusal('not-found')
  return issue
}

function isVisible(call: Call, issue: Issue): boolean {
  return !issue.confidential || issue.author === call.actor?.user || may(call.repository, call.actor, 'triage')
}

interface Patch extends Pick<
  Static<typeof IssuePatch>,
  'title' | 'description' | 'labels' | 'add_labels' | 'remove_labels' | 'assignee_ids' | 'state_event'
> {}

interface StorePatch {
  readonly title?: string
  readonly body?: string | null
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly state?: 'open' | 'closed'
}

export function threadPatchOf(call: Call, thread: Issue, patch: Patch): StorePatch {
  const labels = labelsOf(thread, patch)
  const assignees = loginsOf(call, patch.assignee_ids)
  return {
    ...(patch.title === undefined ? {} : { title: patch.title }),
    ...(patch.description === undefined ? {} : { body: patch.description }),
    ...(labels === undefined ? {} : { labels }),
    ...(assignees === undefined ? {} : { assignees }),
    ...(patch.state_event === undefined ? {} : { state: patch.state_event === 'close' ? 'closed' : 'open' }),
  }
}

/** The added ones come last: of two labels of one scope the added one stays. */
function labelsOf(thread: Issue, patch: Patch): string[] | undefined {
  if (patch.labels === undefined && patch.add_labels === undefined && patch.remove_labels === undefined)
    return undefined
  const removed = new Set((namesOf(patch.remove_labels) ?? []).map((name) => name.toLowerCase()))
  const kept = namesOf(patch.labels) ?? thread.labels.map((label) => label.name)
  return [...kept, ...(namesOf(patch.add_labels) ?? [])].filter((name) => !removed.has(name.toLowerCase()))
}

export function namesOf(names: Static<typeof Names> | undefined): string[] | undefined {
  const list = typeof names === 'string' ? names.split(',') : names
  return list?.map((name) => name.trim()).filter(Boolean)
}

export function loginsOf(call: Call, ids: readonly number[] | undefined): string[] | undefined {
  return ids && [...call.world.users.values()].filter((user) => ids.includes(user.id)).map((user) => user.login)
}

export function demandSome(patch: object, names: readonly string[]): void {
  if (names.some((name) => name in patch)) return
  throw new InvalidInput([`${names.join(', ')} are missing, at least one parameter must be provided`])
}

function selected(call: Call): PlainIssue[] {
  const { state = 'all', labels, updated_after: updated, created_after: created, author_username: author } = call.query
  const wanted = namesOf(labels)?.map((name) => name.toLowerCase()) ?? []
  const found = [...call.repository.issues.values()].filter(
    (issue): issue is PlainIssue =>
      !isPull(issue) &&
      isVisible(call, issue) &&
      (state === 'all' || (state === 'opened') === (issue.state === 'open')) &&
      wanted.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)) &&
      isAfter(issue.updatedAt, updated) &&
      isAfter(issue.createdAt, created) &&
      (author === undefined || issue.author.login.toLowerCase() === author.toLowerCase()),
  )
  return ordered(call, found, { created_at: (issue) => issue.createdAt, updated_at: (issue) => issue.updatedAt })
}
