import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidInput, Problem, problemBody, type Fault, type Spelling } from './problem.ts'
import { problemCodes } from './problem-codes.ts'
import { requestParts, ValidationFaults, type PartValidator } from './validation.ts'

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Turns whatever a route threw into the one answer that the caller may see; the rest goes to the log. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  spelling: Spelling = 'camelCase',
): void {
  const problem = toProblem(error, request)
  if (problem.status >= 500) request.log.error({ err: error, code: problem.code }, 'request failed')
  sendProblem(problem, request, reply, spelling)
}

export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply, spelling: Spelling): void {
  void reply
    .code(problem.status)
    .headers(problem.headers)
    .header('x-request-id', request.id)
    .type(PROBLEM_TYPE)
    .serializer(JSON.stringify)
    .send(problemBody(problem, request.id, spelling))
}

function toProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ValidationFaults) return invalidInput(allFaults(error, request))
  const seconds = secondsToWait(error)
  if (seconds !== undefined) return notNow(seconds, error)
  return fromFramework(error, request.routeOptions.bodyLimit) ?? new Problem('internal', '', { cause: error })
}

/** An error that passes is no failure of the request: a full queue says when to come again, a store that is away does not know. */
function secondsToWait(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('retryAfterMs' in error && typeof error.retryAfterMs === 'number')
    return Math.max(1, Math.ceil(error.retryAfterMs / 1000))
  return 'temporary' in error && error.temporary === true ? 1 : undefined
}

function notNow(seconds: number, cause: unknown): Problem {
  return new Problem('not-ready', '', { headers: { 'retry-after': String(seconds) }, cause })
}

/** fastify stops at the first part that fails; the caller is owed the faults of every part. */
function allFaults(first: ValidationFaults, request: FastifyRequest): Fault[] {
  const parts = { params: request.params, body: request.body, querystring: request.query, headers: request.headers }
  const others = requestParts.filter((part) => part !== first.part)
  const faults = others.flatMap((part) => {
    const validate = request.getValidationFunction(part) as PartValidator | undefined
    const result = validate?.(parts[part])
    return result !== undefined && 'error' in result ? result.error.faults : []
  })
  return [...first.faults, ...faults]
}

function tooLarge(mostBytes: number): string {
  return `${problemCodes['body-too-large'].title}: at most ${mostBytes.toLocaleString('en-US')} bytes`
}

function fromFramework(error: unknown, mostBytes: number): Problem | undefined {
  if (!(error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number')) return undefined
  const status = error.statusCode
  if (status === 413)
    return new Problem('body-too-large', tooLarge(mostBytes), { headers: { connection: 'close' }, cause: error })
  if (status === 415) return new Problem('unsupported-media-type', '', { cause: error })
  if (status >= 400 && status < 500) return new Problem('malformed-request', error.message, { cause: error })
  return undefined
}
