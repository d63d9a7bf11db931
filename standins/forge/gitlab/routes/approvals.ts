import { Type } from 'typebox'
import { may } from '../../store/permissions.ts'
import type { Pull } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { createReview, dismissReview } from '../../store/reviews.ts'
import { verdictsOf } from '../../store/reviewers.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { listAnswer } from '../paging.ts'
import { approvalsPayload, reviewersPayload } from '../payloads/merge-requests.ts'
import { pullOf } from './merge-requests.ts'

const ONE = '/projects/:id/merge_requests/:iid'

const readApproval = inputOf(Type.Object({ sha: Type.Optional(Type.String()) }))

export const approvalRoutes: readonly Route[] = [
  { method: 'GET', path: `${ONE}/approvals`, run: (call) => ({ body: show(call, pullOf(call)) }) },
  {
    method: 'POST',
    path: `${ONE}/approve`,
    async run(call) {
      const pull = pullOf(call)
      const { sha } = readApproval(call)
      if (sha !== undefined && sha !== pull.headSha) throw new Refusal('head-moved')
      if (!may(call.repository, call.writer, 'write') || hasApproved(call, pull))
        throw new HttpRefusal(401, '401 Unauthorized')
      await createReview(call.world, call.repository, call.writer, pull, { event: 'APPROVE' })
      return { status: 201, body: show(call, pull) }
    },
  },
  {
    method: 'POST',
    path: `${ONE}/unapprove`,
    run(call) {
      const pull = pullOf(call)
      if (!hasApproved(call, pull)) throw new Refusal('not-found')
      const own = [...pull.reviews.values()].filter(
        (review) => review.author === call.writer.user && review.state === 'APPROVED',
      )
      for (const review of own) dismissReview(call.world, call.repository, call.writer, pull, review, 'Unapproved')
      return { status: 201, body: show(call, pull) }
    },
  },
  {
    method: 'GET',
    path: `${ONE}/reviewers`,
    run: (call) => listAnswer(call, reviewersPayload(call.links, pullOf(call)), (reviewer) => reviewer),
  },
]

function hasApproved(call: Call, pull: Pull): boolean {
  return verdictsOf(pull).some((verdict) => verdict.user === call.writer.user && verdict.state === 'APPROVED')
}

function show(call: Call, pull: Pull): unknown {
  return approvalsPayload(call.links, call.repository, pull, call.actor)
}
