import { Type } from 'typebox'
import { addIssueLabels, removeIssueLabel, setIssueLabels } from '../../store/issue-labels.ts'
import { findIssue } from '../../store/issues.ts'
import { createLabel, deleteLabel, editLabel, findLabel } from '../../store/labels.ts'
import type { Issue } from '../../store/records.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Answer, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { labelPayload } from '../payloads/common.ts'

const REPO = '/repos/:owner/:repo'
const ISSUE = `${REPO}/issues/:number/labels`

const NewLabel = Type.Object({
  name: Type.String(),
  color: Type.Optional(Type.String()),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const LabelPatch = Type.Object({
  new_name: Type.Optional(Type.String()),
  color: Type.Optional(Type.String()),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const Named = Type.Union([Type.String(), Type.Object({ name: Type.String() })])
const LabelNames = Type.Union([Type.Object({ labels: Type.Optional(Type.Array(Named)) }), Type.Array(Named)])

const readNewLabel = bodyOf(NewLabel, 'Label')
const readPatch = bodyOf(LabelPatch, 'Label')
const readNames = bodyOf(LabelNames, 'Label')

export const labelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${REPO}/labels`,
    run: (call) =>
      listAnswer(call, [...call.repository.labels.values()], (label) =>
        labelPayload(call.links, call.repository, label),
      ),
  },
  {
    method: 'POST',
    path: `${REPO}/labels`,
    run: (call) => ({
      status: 201,
      body: labelPayload(
        call.links,
        call.repository,
        createLabel(call.world, call.repository, call.writer, readNewLabel(call)),
      ),
    }),
  },
  {
    method: 'GET',
    path: `${REPO}/labels/:name`,
    run: (call) => ({
      body: labelPayload(call.links, call.repository, findLabel(call.repository, call.params.name ?? '')),
    }),
  },
  {
    method: 'PATCH',
    path: `${REPO}/labels/:name`,
    run(call) {
      const label = findLabel(call.repository, call.params.name ?? '')
      const { new_name: name, ...rest } = readPatch(call)
      editLabel(call.world, call.repository, call.writer, label, { ...rest, ...(name === undefined ? {} : { name }) })
      return { body: labelPayload(call.links, call.repository, label) }
    },
  },
  {
    method: 'DELETE',
    path: `${REPO}/labels/:name`,
    run(call) {
      deleteLabel(call.world, call.repository, call.writer, findLabel(call.repository, call.params.name ?? ''))
      return { status: 204 }
    },
  },
  { method: 'GET', path: ISSUE, run: (call) => showLabels(call, issueOf(call)) },
  {
    method: 'POST',
    path: ISSUE,
    run: (call) =>
      changed(call, (issue) => addIssueLabels(call.world, call.repository, call.writer, issue, names(call))),
  },
  {
    method: 'PUT',
    path: ISSUE,
    run: (call) =>
      changed(call, (issue) => setIssueLabels(call.world, call.repository, call.writer, issue, names(call))),
  },
  {
    method: 'DELETE',
    path: ISSUE,
    run(call) {
      setIssueLabels(call.world, call.repository, call.writer, issueOf(call), [])
      return { status: 204 }
    },
  },
  {
    method: 'DELETE',
    path: `${ISSUE}/:name`,
    run: (call) =>
      changed(call, (issue) =>
        removeIssueLabel(call.world, call.repository, call.writer, issue, call.params.name ?? ''),
      ),
  },
]

function issueOf(call: Call): Issue {
  return findIssue(call.repository, numberParam(call, 'number'))
}

function names(call: Call): string[] {
  const body = readNames(call)
  return (Array.isArray(body) ? body : (body.labels ?? [])).map((label) =>
    typeof label === 'string' ? label : label.name,
  )
}

function changed(call: Call, change: (issue: Issue) => void): Answer {
  const issue = issueOf(call)
  change(issue)
  return { body: issue.labels.map((label) => labelPayload(call.links, call.repository, label)) }
}

function showLabels(call: Call, issue: Issue): Answer {
  return listAnswer(call, issue.labels, (label) => labelPayload(call.links, call.repository, label))
}
