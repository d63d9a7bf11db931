import { problemCodes, type ProblemCode } from './problem-codes.ts'

/** One violation: a JSON Pointer into the part of the request named by `in` (the body when absent). */
export interface Fault {
  readonly in?: 'path' | 'query' | 'header'
  readonly path: string
  readonly message: string
}

/** Members of the case, beside those of RFC 9457: plain JSON, no secret, nothing about the host. */
type ProblemMembers = Readonly<Record<string, unknown>>

interface ProblemBody extends ProblemMembers {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  readonly detail?: string
  readonly requestId?: string
  readonly request_id?: string
}

/** How a server spells the members of its answers: camelCase unless told (HTTP-16), the memory service snake_case (MEMORY-ERRORS-9). */
export type Spelling = 'camelCase' | 'snake_case'

export const requestIdMember = { camelCase: 'requestId', snake_case: 'request_id' } as const satisfies Record<
  Spelling,
  string
>

interface ProblemExtras {
  readonly members?: ProblemMembers
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Thrown by a route, answered as `application/problem+json` (RFC 9457). `detail` is shown to the caller. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly members: ProblemMembers
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, detail = '', extras: ProblemExtras = {}) {
    super(detail || problemCodes[code].title, { cause: extras.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problemCodes[code].status
    this.members = extras.members ?? {}
    this.headers = extras.headers ?? {}
  }
}

/** A 400 that lists every fault found. */
export function invalidInput(errors: readonly Fault[], detail?: string): Problem {
  return new Problem('invalid-input', detail ?? summary(errors), { members: { errors } })
}

/** The members of the case come first, so that none of them can take the place of a standard one. */
export function problemBody(problem: Problem, requestId?: string, spelling: Spelling = 'camelCase'): ProblemBody {
  const { title } = problemCodes[problem.code]
  return {
    ...problem.members,
    type: `urn:statewright:problem:${problem.code}`,
    title,
    status: problem.status,
    ...(problem.message === title ? {} : { detail: problem.message }),
    code: problem.code,
    ...(requestId === undefined ? {} : { [requestIdMember[spelling]]: requestId }),
  }
}

function summary(errors: readonly Fault[]): string {
  const [first] = errors
  if (first === undefined) return ''
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return `${first.path || 'the input'}: ${first.message}${more}`
}
