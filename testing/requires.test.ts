import { expect, test } from 'vitest'
import { decide, type Environment } from './requires.ts'

const nothing = (): boolean => false

test.each<[string, Environment, string]>([
  ['is there: run', { DATABASE_URL: 'postgres://x' }, 'run'],
  ['is there and demanded: run', { DATABASE_URL: 'postgres://x', STATEWRIGHT_REQUIRE: 'postgres' }, 'run'],
  ['is missing: skip', {}, 'skip'],
  ['is named by an empty address: skip', { DATABASE_URL: '' }, 'skip'],
  ['is missing and something else is demanded: skip', { STATEWRIGHT_REQUIRE: 'claude,chromium' }, 'skip'],
  ['is missing and demanded: fail', { STATEWRIGHT_REQUIRE: 'claude, postgres' }, 'fail'],
])('a database that %s', (_what, environment, verdict) => {
  expect(decide('postgres', environment, nothing)).toBe(verdict)
})

test('a program counts as present under any of its names, and only if it runs', () => {
  expect(decide('chromium', {}, (name) => name === 'google-chrome')).toBe('run')
  expect(decide('chromium', { STATEWRIGHT_REQUIRE: 'chromium' }, nothing)).toBe('fail')
})
