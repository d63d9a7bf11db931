import type { FastifyReply } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../runtime/runtime.ts'
import type { Problem } from '../../http/problems/problem.ts'
import { problemCodes } from '../../http/problems/problem-codes.ts'
import { answerFrom } from './answer.ts'

function receipt(answer: { readonly status: number; readonly body: object } | undefined): Receipt {
  return { answer } as unknown as Receipt
}

function refusalOf(answer: { readonly status: number; readonly body: object } | undefined): Problem {
  try {
    answerFrom(receipt(answer), {} as FastifyReply)
  } catch (error) {
    return error as Problem
  }
  throw new Error('it was no refusal')
}

const refusals = Object.entries(problemCodes).filter(([, { status }]) => status === 409)

describe('what a Task answers in the very step', () => {
  it('is the answer of the call, with its status', () => {
    const sent: unknown[] = []
    const reply = {
      code: (status: number) => (sent.push(status), reply),
      send: (body: unknown) => (sent.push(body), reply),
    }
    answerFrom(receipt({ status: 201, body: { id: 'n' } }), reply as unknown as FastifyReply)
    expect(sent).toEqual([201, { id: 'n' }])
  })

  it.each(refusals)('%s: is its problem, with all that belongs to it', (code, { status }) => {
    const refusal = refusalOf({ status: 409, body: { code, detail: 'why', heads: ['a'] } })
    expect(refusal).toMatchObject({ code, status, message: 'why', members: { heads: ['a'] } })
  })

  it.each([
    ['actor-final', 'task-terminal'],
    ['actor-unknown', 'not-found'],
    ['actor-fault', 'internal'],
    ['actor-quarantined', 'not-ready'],
    ['constructor', 'conflict'],
    ['never-heard-of', 'conflict'],
  ])('%s of the runtime is %s', (code, problem) => {
    expect(refusalOf({ status: 409, body: { code } }).code).toBe(problem)
  })

  it('is a conflict where its stage takes no such call', () => {
    expect(refusalOf(undefined)).toMatchObject({ code: 'conflict', status: 409 })
  })
})
