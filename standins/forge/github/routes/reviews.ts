import { Type, type Static } from 'typebox'
import { commentsOf, createReview, dismissReview, findReview, submitReview } from '../../store/reviews.ts'
import type { LineComment } from '../../store/review-comments.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { reviewCommentPayload, reviewPayload } from '../payloads/pulls.ts'
import { pullOf } from './pulls.ts'

const REVIEWS = '/repos/:owner/:repo/pulls/:number/reviews'

const Side = Type.Union([Type.Literal('LEFT'), Type.Literal('RIGHT')])
const Event = Type.Union([Type.Literal('COMMENT'), Type.Literal('APPROVE'), Type.Literal('REQUEST_CHANGES')])
const Line = Type.Integer({ minimum: 1 })

/** A comment as a review carries it, and as it comes alone. */
export const LineBody = Type.Object({
  path: Type.String(),
  body: Type.String(),
  line: Type.Optional(Line),
  side: Type.Optional(Side),
  start_line: Type.Optional(Line),
  start_side: Type.Optional(Side),
  position: Type.Optional(Type.Integer({ minimum: 1 })),
  subject_type: Type.Optional(Type.Union([Type.Literal('line'), Type.Literal('file')])),
})
export type LineBody = Static<typeof LineBody>

const NewReview = Type.Object({
  body: Type.Optional(Type.String()),
  event: Type.Optional(Event),
  commit_id: Type.Optional(Type.String()),
  comments: Type.Optional(Type.Array(LineBody)),
})
const readNewReview = bodyOf(NewReview, 'PullRequestReview')
const readSubmission = bodyOf(Type.Object({ event: Event, body: Type.Optional(Type.String()) }), 'PullRequestReview')

const readDismissal = bodyOf(
  Type.Object({ message: Type.String(), event: Type.Optional(Type.Literal('DISMISS')) }),
  'PullRequestReview',
)

export const reviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: REVIEWS,
    run(call) {
      const pull = pullOf(call)
      const visible = [...pull.reviews.values()].filter(
        (review) => review.state !== 'PENDING' || review.author === call.actor?.user,
      )
      return listAnswer(call, visible, (review) => reviewPayload(call.links, call.repository, pull, review))
    },
  },
  {
    method: 'POST',
    path: REVIEWS,
    async run(call) {
      const { commit_id: commit, comments = [], body, event } = readNewReview(call)
      const pull = pullOf(call)
      const review = await createReview(call.world, call.repository, call.writer, pull, {
        comments: comments.map(lineComment),
        ...(body === undefined ? {} : { body }),
        ...(event ? { event } : {}),
        ...(commit === undefined ? {} : { commit }),
      })
      return { body: reviewPayload(call.links, call.repository, pull, review) }
    },
  },
  {
    method: 'GET',
    path: `${REVIEWS}/:id`,
    run: (call) => ({ body: reviewPayload(call.links, call.repository, pullOf(call), reviewOf(call)) }),
  },
  {
    method: 'GET',
    path: `${REVIEWS}/:id/comments`,
    run(call) {
      const pull = pullOf(call)
      return listAnswer(call, commentsOf(pull, reviewOf(call)), (comment) =>
        reviewCommentPayload(call.links, call.repository, pull, comment),
      )
    },
  },
  {
    method: 'POST',
    path: `${REVIEWS}/:id/events`,
    run(call) {
      const { event, body } = readSubmission(call)
      const review = reviewOf(call)
      submitReview(call.world, call.repository, call.writer, pullOf(call), review, event, body)
      return { body: reviewPayload(call.links, call.repository, pullOf(call), review) }
    },
  },
  {
    method: 'PUT',
    path: `${REVIEWS}/:id/dismissals`,
    run(call) {
      const { message } = readDismissal(call)
      const review = reviewOf(call)
      dismissReview(call.world, call.repository, call.writer, pullOf(call), review, message)
      return { body: reviewPayload(call.links, call.repository, pullOf(call), review) }
    },
  },
]

function reviewOf(call: Call): ReturnType<typeof findReview> {
  return findReview(pullOf(call), numberParam(call, 'id'), call.actor)
}

export function lineComment(comment: LineBody): LineComment {
  const {
    path,
    body,
    line,
    side,
    start_line: startLine,
    start_side: startSide,
    position,
    subject_type: subject,
  } = comment
  return {
    path,
    body,
    wholeFile: subject === 'file',
    ...(line === undefined ? {} : { line }),
    ...(side ? { side } : {}),
    ...(startLine === undefined ? {} : { startLine }),
    ...(startSide ? { startSide } : {}),
    ...(position === undefined ? {} : { position }),
  }
}
