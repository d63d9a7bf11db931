/** What a refused input must look like: one form of answer, and nothing changed. Test code only. */
import { expect } from 'vitest'
import { hookSecret, type Answer, type OrchestratorFixture } from './fixture.ts'

export interface Refusal {
  readonly status: number
  readonly code: string
}

export const invalid: Refusal = { status: 400, code: 'invalid-input' }
export const malformed: Refusal = { status: 400, code: 'malformed-request' }
export const unauthenticated: Refusal = { status: 401, code: 'unauthenticated' }
export const badSignature: Refusal = { status: 401, code: 'signature-invalid' }
export const forbidden: Refusal = { status: 403, code: 'forbidden' }
export const missing: Refusal = { status: 404, code: 'not-found' }

/** The answer is this problem, in the one form of problems, and tells nothing of the host. */
export function expectProblem(
  fixture: OrchestratorFixture,
  answer: Answer,
  { status, code }: Refusal,
  what: string,
): void {
  const said = { what, status: answer.status, type: answer.type, code: answer.body['code'] }
  expect(said).toEqual({ what, status, type: 'application/problem+json', code })
  const form = { type: `urn:statewright:problem:${code}`, status, title: expect.any(String) as string }
  expect(answer.body).toMatchObject({ ...form, requestId: answer.headers.get('x-request-id') })
  const text = JSON.stringify(answer.body)
  for (const secret of ['node_modules', '.ts:', fixture.dir, hookSecret]) expect(text).not.toContain(secret)
}

export async function expectRefused(
  fixture: OrchestratorFixture,
  what: string,
  send: () => Promise<Answer>,
  refusal: Refusal,
): Promise<Answer> {
  const before = await fixture.fingerprint()
  const answer = await send()
  expectProblem(fixture, answer, refusal, what)
  expect(await fixture.fingerprint()).toBe(before)
  return answer
}

/** JSON pointers of all faults that the answer lists. */
export function pathsOf({ body }: Answer): string[] {
  return (body['errors'] as { path: string }[]).map(({ path }) => path).toSorted()
}
