import { Type } from 'typebox'
import { editIssue, findIssue, openIssue } from '../../store/issues.ts'
import { editPull } from '../../store/pulls.ts'
import { isPull, type Issue } from '../../store/records.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { fullIssuePayload } from '../payloads/issues.ts'

const ISSUES = '/repos/:owner/:repo/issues'

/** GitHub takes a number too, and keeps it as text. */
const Title = Type.Union([Type.String(), Type.Integer()])
const Body = Type.Union([Type.String(), Type.Null()])
const Labels = Type.Array(Type.Union([Type.String(), Type.Object({ name: Type.String() })]))
const Assignees = Type.Array(Type.String())
const NewIssue = Type.Object({
  title: Title,
  body: Type.Optional(Body),
  labels: Type.Optional(Labels),
  assignees: Type.Optional(Assignees),
})
const IssuePatch = Type.Object({
  title: Type.Optional(Title),
  body: Type.Optional(Body),
  labels: Type.Optional(Labels),
  assignees: Type.Optional(Assignees),
  state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
  state_reason: Type.Optional(
    Type.Union([Type.Literal('completed'), Type.Literal('not_planned'), Type.Literal('reopened'), Type.Null()]),
  ),
})
const readNewIssue = bodyOf(NewIssue, 'Issue')
const readPatch = bodyOf(IssuePatch, 'Issue')

export const issueRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: ISSUES,
    run: (call) => listAnswer(call, selected(call), (issue) => fullIssuePayload(call.links, call.repository, issue)),
  },
  {
    method: 'POST',
    path: ISSUES,
    run(call) {
      const input = readNewIssue(call)
      const issue = openIssue(call.world, call.repository, call.writer, {
        ...input,
        title: String(input.title),
        labels: names(input.labels) ?? [],
      })
      return {
        status: 201,
        body: fullIssuePayload(call.links, call.repository, issue),
        headers: { location: call.links.issue(call.repository, issue) },
      }
    },
  },
  {
    method: 'GET',
    path: `${ISSUES}/:number`,
    run: (call) => ({
      body: fullIssuePayload(call.links, call.repository, findIssue(call.repository, numberParam(call, 'number'))),
    }),
  },
  {
    method: 'PATCH',
    path: `${ISSUES}/:number`,
    async run(call) {
      const issue = findIssue(call.repository, numberParam(call, 'number'))
      const { title, labels, state_reason: stateReason, state, ...patch } = readPatch(call)
      const wanted = names(labels)
      const whole = {
        ...patch,
        ...(title === undefined ? {} : { title: String(title) }),
        ...(wanted ? { labels: wanted } : {}),
        ...(stateReason === undefined ? {} : { stateReason }),
      }
      // The state of a pull request hangs on its branches: it changes as a pull, under the lock.
      editIssue(call.world, call.repository, call.writer, issue, isPull(issue) || !state ? whole : { ...whole, state })
      if (isPull(issue) && state) await editPull(call.world, call.repository, call.writer, issue, { state })
      return { body: fullIssuePayload(call.links, call.repository, issue) }
    },
  },
]

function names(labels: ReadonlyArray<string | { name: string }> | undefined): string[] | undefined {
  return labels?.map((label) => (typeof label === 'string' ? label : label.name))
}

/** Pull requests are issues too, and are listed among them. */
function selected(call: Call): Issue[] {
  const { state = 'open', labels = '', since, creator, sort = 'created', direction = 'desc' } = call.query
  const wanted = labels
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean)
  const found = [...call.repository.issues.values()].filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      wanted.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)) &&
      (since === undefined || Date.parse(issue.updatedAt) >= Date.parse(since)) &&
      (creator === undefined || issue.author.login.toLowerCase() === creator.toLowerCase()),
  )
  const key = (issue: Issue): string | number =>
    sort === 'updated' ? issue.updatedAt : sort === 'comments' ? issue.comments.size : issue.number
  const ascending = found.toSorted((one, other) =>
    key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : one.number - other.number,
  )
  return direction === 'asc' ? ascending : ascending.toReversed()
}
