import { Type } from 'typebox'
import { isPull, type Pull, type ReviewComment } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import {
  commentOnLine,
  deleteReviewComment,
  editReviewComment,
  replyToComment,
  type FoundReviewComment,
} from '../../store/review-threads.ts'
import { visibleComments } from '../../store/reviews.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Answer, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { reviewCommentPayload } from '../payloads/pulls.ts'
import { pullOf } from './pulls.ts'
import { LineBody, lineComment } from './reviews.ts'

const PULLS = '/repos/:owner/:repo/pulls'

const Reply = Type.Object({ body: Type.String(), in_reply_to: Type.Integer() })
const NewComment = Type.Union([Reply, Type.Intersect([LineBody, Type.Object({ commit_id: Type.String() })])])
const readNewComment = bodyOf(NewComment, 'PullRequestReviewComment')
const readBody = bodyOf(Type.Object({ body: Type.String() }), 'PullRequestReviewComment')

export const reviewCommentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${PULLS}/:number/comments`,
    run(call) {
      const pull = pullOf(call)
      return listAnswer(
        call,
        since(
          call,
          visibleComments(pull, call.actor).map((comment) => ({ pull, comment })),
        ),
        (found) => show(call, found),
      )
    },
  },
  {
    method: 'POST',
    path: `${PULLS}/:number/comments`,
    async run(call) {
      const pull = pullOf(call)
      const input = readNewComment(call)
      const comment =
        'in_reply_to' in input
          ? replyToComment(call.world, call.repository, call.writer, pull, input.in_reply_to, input.body)
          : await placed(call, pull, input)
      return created(call, { pull, comment })
    },
  },
  {
    method: 'POST',
    path: `${PULLS}/:number/comments/:id/replies`,
    run(call) {
      const pull = pullOf(call)
      return created(call, {
        pull,
        comment: replyToComment(
          call.world,
          call.repository,
          call.writer,
          pull,
          numberParam(call, 'id'),
          readBody(call).body,
        ),
      })
    },
  },
  {
    method: 'GET',
    path: `${PULLS}/comments`,
    run: (call) => listAnswer(call, since(call, all(call)), (found) => show(call, found)),
  },
  { method: 'GET', path: `${PULLS}/comments/:id`, run: (call) => ({ body: show(call, find(call)) }) },
  {
    method: 'PATCH',
    path: `${PULLS}/comments/:id`,
    run(call) {
      const found = find(call)
      editReviewComment(call.world, call.repository, call.writer, found, readBody(call).body)
      return { body: show(call, found) }
    },
  },
  {
    method: 'DELETE',
    path: `${PULLS}/comments/:id`,
    run(call) {
      deleteReviewComment(call.world, call.repository, call.writer, find(call))
      return { status: 204 }
    },
  },
]

function placed(call: Call, pull: Pull, input: LineBody & { commit_id: string }): Promise<ReviewComment> {
  return commentOnLine(call.world, call.repository, call.writer, pull, lineComment(input), input.commit_id)
}

function created(call: Call, found: FoundReviewComment): Answer {
  return { status: 201, body: show(call, found) }
}

function show(call: Call, { pull, comment }: FoundReviewComment): unknown {
  return reviewCommentPayload(call.links, call.repository, pull, comment)
}

function all(call: Call): FoundReviewComment[] {
  return [...call.repository.issues.values()]
    .filter(isPull)
    .flatMap((pull) => visibleComments(pull, call.actor).map((comment) => ({ pull, comment })))
}

function find(call: Call): FoundReviewComment {
  const id = numberParam(call, 'id')
  const found = all(call).find(({ comment }) => comment.id === id)
  if (!found) throw new Refusal('not-found')
  return found
}

function since(call: Call, found: readonly FoundReviewComment[]): FoundReviewComment[] {
  const from = Date.parse(call.query.since ?? '')
  return found.filter(({ comment }) => Number.isNaN(from) || Date.parse(comment.updatedAt) >= from)
}
