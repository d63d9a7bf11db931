import { describe, expect, it } from 'vitest'
import {
  OverloadedError,
  RetryableError,
  RuntimeStoppedError,
  StoreUnavailableError,
  TerminalError,
} from '../../runtime/errors.ts'
import {
  ConflictError,
  ForbiddenError,
  ForgeUnavailableError,
  HeadMovedError,
  NotFoundError,
  NotMergeableError,
  RateLimitedError,
  UnauthorizedError,
  ValidationError,
} from '../forge/errors.ts'
import { Problem } from '../../http/problems/problem.ts'
import { problemOf } from './forge-problem.ts'

describe('what a tool is told of a failure', () => {
  it.each<[Error, number, string, string | undefined]>([
    [new NotFoundError('get issue 9', 'Not Found'), 404, 'not-found', undefined],
    [new ValidationError('create comment', 'body is too long'), 400, 'invalid-input', undefined],
    [new ConflictError('merge', 'locked'), 409, 'conflict', undefined],
    [new HeadMovedError('merge', 'moved'), 409, 'conflict', undefined],
    [new NotMergeableError('merge', 'draft'), 409, 'conflict', undefined],
    [new UnauthorizedError('get issue', 'Bad credentials'), 502, 'upstream-failed', undefined],
    [new ForbiddenError('create comment', 'locked'), 502, 'upstream-failed', undefined],
    [new ForgeUnavailableError('get issue: 503'), 502, 'upstream-failed', undefined],
    [new RetryableError('later'), 502, 'upstream-failed', undefined],
    [new TerminalError('why', 'never'), 502, 'upstream-failed', undefined],
    [new RateLimitedError('get issue', 'primary', 61_001), 429, 'too-many-requests', '62'],
    [new RateLimitedError('get issue', 'bucket', 0), 429, 'too-many-requests', '1'],
    [new OverloadedError(10_000, 1500), 429, 'too-many-requests', '2'],
    [new StoreUnavailableError('connection refused 10.0.0.7'), 503, 'not-ready', '1'],
    [new RuntimeStoppedError('stopping'), 503, 'not-ready', '1'],
  ])('%s is %d %s', (error, status, code, retryAfter) => {
    const problem = problemOf(error) as Problem
    expect([problem.status, problem.code, problem.headers['retry-after']]).toEqual([status, code, retryAfter])
  })

  it('keeps the address of our store to itself', () => {
    expect((problemOf(new StoreUnavailableError('connection refused 10.0.0.7')) as Problem).message).not.toContain(
      '10.0.0.7',
    )
  })

  it('leaves a problem, and what nobody foresaw, as they are', () => {
    const problem = new Problem('forbidden', 'no')
    const bug = new TypeError('undefined is not a function')
    expect([problemOf(problem), problemOf(bug)]).toEqual([problem, bug])
  })
})
