import type { FastifyReply } from 'fastify'
import type { Receipt } from '../../runtime/runtime.ts'
import { Problem } from '../../http/problems/problem.ts'
import { problemCodes, type ProblemCode } from '../../http/problems/problem-codes.ts'

/** What the runtime itself answers for an actor that cannot. */
const runtimeCodes: ReadonlyMap<string, ProblemCode> = new Map([
  ['actor-final', 'task-terminal'],
  ['actor-unknown', 'not-found'],
  ['actor-fault', 'internal'],
  ['actor-quarantined', 'not-ready'],
])

/** What the actor answered in the very step: success as it is, a refusal as its problem. */
export function answerFrom(receipt: Receipt, reply: FastifyReply): FastifyReply {
  const answer = receipt.answer
  if (answer === undefined) throw new Problem('conflict', 'the Task does not accept this call in its current stage')
  if (answer.status < 400) return reply.code(answer.status).send(answer.body)
  const { code, detail, ...members } = answer.body
  const known =
    runtimeCodes.get(String(code)) ??
    (typeof code === 'string' && Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : 'conflict')
  throw new Problem(known, typeof detail === 'string' ? detail : '', { members })
}
