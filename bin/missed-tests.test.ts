import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const { missedTests } = (await import(new URL('./missed-tests.mjs', import.meta.url).href)) as {
  missedTests(report: object, filter: readonly string[], title: string | undefined): string[]
}

const file = (name: string, ...statuses: string[]): object => ({
  name: resolve(name),
  assertionResults: statuses.map((status) => ({ status })),
})
const report = {
  testResults: [file('runtime/actor.test.ts', 'passed', 'skipped'), file('edges/git.test.ts', 'skipped')],
}

it.each([
  ['part of a path', ['runtime/actor', 'GIT'], undefined, []],
  ['path from here, with a line', ['./runtime/actor.test.ts:12'], undefined, []],
  [
    'second name that no file has',
    ['runtime', 'rutnime'],
    undefined,
    ['no test file that ran has rutnime in its path'],
  ],
  ['title that a test has', [], 'an actor', []],
])('of a %s, that and only that is named which no test has', (_what, filter, title, missed) => {
  expect(missedTests(report, filter, title)).toEqual(missed)
})

it('a title is missed where every test was skipped', () => {
  const skipped = { testResults: [file('edges/git.test.ts', 'skipped')] }
  expect(missedTests(skipped, ['git'], 'nobody')).toEqual(['no test that ran has a title that matches nobody'])
})

it('a run that found no file misses each name', () => {
  expect(missedTests({}, ['one', 'two'], undefined)).toHaveLength(2)
})
