import { Type } from 'typebox'
import { createComment, deleteComment, editComment, findComment } from '../../store/comments.ts'
import { findIssue } from '../../store/issues.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { commentPayload } from '../payloads/issues.ts'
import type { FoundComment } from '../../store/comments.ts'

const ISSUES = '/repos/:owner/:repo/issues'
const readBody = bodyOf(Type.Object({ body: Type.String() }), 'IssueComment')

export const commentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${ISSUES}/:number/comments`,
    run(call) {
      const issue = findIssue(call.repository, numberParam(call, 'number'))
      return listAnswer(
        call,
        since(
          call,
          [...issue.comments.values()].map((comment) => ({ issue, comment })),
        ),
        (found) => show(call, found),
      )
    },
  },
  {
    method: 'POST',
    path: `${ISSUES}/:number/comments`,
    run(call) {
      const issue = findIssue(call.repository, numberParam(call, 'number'))
      const comment = createComment(call.world, call.repository, call.writer, issue, readBody(call).body)
      return {
        status: 201,
        body: show(call, { issue, comment }),
        headers: { location: `${call.links.repository(call.repository)}/issues/comments/${comment.id}` },
      }
    },
  },
  {
    method: 'GET',
    path: `${ISSUES}/comments`,
    run(call) {
      const all = [...call.repository.issues.values()].flatMap((issue) =>
        [...issue.comments.values()].map((comment) => ({ issue, comment })),
      )
      const key = ({ comment }: FoundComment): string =>
        call.query.sort === 'updated' ? comment.updatedAt : comment.createdAt
      const ascending = since(call, all).toSorted(
        (one, other) => key(one).localeCompare(key(other)) || one.comment.id - other.comment.id,
      )
      return listAnswer(call, call.query.direction === 'desc' ? ascending.toReversed() : ascending, (found) =>
        show(call, found),
      )
    },
  },
  {
    method: 'GET',
    path: `${ISSUES}/comments/:id`,
    run: (call) => ({ body: show(call, findComment(call.repository, numberParam(call, 'id'))) }),
  },
  {
    method: 'PATCH',
    path: `${ISSUES}/comments/:id`,
    run(call) {
      const found = findComment(call.repository, numberParam(call, 'id'))
      editComment(call.world, call.repository, call.writer, found, readBody(call).body)
      return { body: show(call, found) }
    },
  },
  {
    method: 'DELETE',
    path: `${ISSUES}/comments/:id`,
    run(call) {
      deleteComment(call.world, call.repository, call.writer, findComment(call.repository, numberParam(call, 'id')))
      return { status: 204 }
    },
  },
]

function show(call: Call, { issue, comment }: FoundComment): unknown {
  return commentPayload(call.links, call.repository, issue, comment)
}

function since(call: Call, found: readonly FoundComment[]): FoundComment[] {
  const from = Date.parse(call.query.since ?? '')
  return found.filter(({ comment }) => Number.isNaN(from) || Date.parse(comment.updatedAt) >= from)
}
