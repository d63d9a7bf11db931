import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemCodes } from './problem-codes.ts'
import { invalidInput, Problem, problemBody } from './problem.ts'

const documented = readFileSync(new URL('../../docs/problems.md', import.meta.url), 'utf8')
const rows = [...documented.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(
  ([, code, status]) => [code, Number(status)] as const,
)

test('every code is documented once, with its status, and nothing else is (HTTP-6, ORCHESTRATOR-ERRORS-1)', () => {
  const table = Object.entries(problemCodes).map(([code, { status }]) => [code, status] as const)
  expect(rows.toSorted()).toEqual(table.toSorted())
})

test('every code is made of lower-case words and has a status that is an error and never 422 (MEMORY-ERRORS-6, HTTP-6)', () => {
  for (const [code, { status, title }] of Object.entries(problemCodes)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 429, 500, 502, 503, 504]).toContain(status)
    expect(title).toMatch(/^[A-Z].*[^.]$/)
  }
})

test('the body has the members of RFC 9457, ours and those of the case (MEMORY-ERRORS-1, HTTP-1, HTTP-2)', () => {
  const problem = new Problem('approval-required', 'issue 3 waits', {
    members: { reason: 'approval-required', issues: [3] },
  })
  expect(problemBody(problem, 'r-1')).toEqual({
    type: 'urn:statewright:problem:approval-required',
    title: problemCodes['approval-required'].title,
    status: 409,
    detail: 'issue 3 waits',
    code: 'approval-required',
    requestId: 'r-1',
    reason: 'approval-required',
    issues: [3],
  })
})

test('a member of the case never takes the place of a standard one', () => {
  const problem = new Problem('conflict', '', {
    members: { status: 200, code: 'fine', type: 'x', requestId: 'forged' },
  })
  expect(problemBody(problem, 'r-1')).toMatchObject({ status: 409, code: 'conflict', requestId: 'r-1' })
})

test('without a detail of its own the body has none', () => {
  expect(problemBody(new Problem('internal', '', { cause: new Error('secret') }))).not.toHaveProperty('detail')
})

test('faults are all listed and the first is in the detail', () => {
  const errors = [
    { path: '/a', message: 'is required' },
    { path: '/b', message: 'is required' },
  ]
  expect(problemBody(invalidInput(errors))).toMatchObject({ detail: '/a: is required (and 1 more)', errors })
})

/** Codes that no source quotes. */
function unthrown(codes: readonly string[], sources: readonly string[]): readonly string[] {
  return codes.filter((code) => !sources.some((text) => text.includes(`'${code}'`)))
}

test('every code is in a source that throws or renders it', () => {
  const folders = '{http,machines,runtime,edges,memory,wrapper,cli}/**/*.ts'
  const root = join(import.meta.dirname, '..', '..')
  const paths = globSync(folders, { cwd: root }).filter((path) => !/\.test\.ts$|problem-codes\.ts$/.test(path))
  const sources = paths.map((path) => readFileSync(join(root, path), 'utf8'))
  expect(sources.length).toBeGreaterThan(500)
  expect(unthrown(Object.keys(problemCodes), sources)).toEqual([])
  expect(unthrown(['gone', 'going'], ["throw new Problem('gone')"])).toEqual(['going'])
})
