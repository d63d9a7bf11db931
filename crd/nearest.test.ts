import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const fields = ['maxConcurrentAgents', 'maxOpenTasks', 'queue', 'scm']

test.each([
  ['maxConcurentAgents', 'maxConcurrentAgents'],
  ['MAXOPENTASKS', 'maxOpenTasks'],
  ['qeue', 'queue'],
  ['scn', 'scm'],
  ['openTasks', 'maxOpenTasks'],
])('%s most likely means %s', (given, meant) => {
  expect(nearest(given, fields)).toBe(meant)
})

test.each(['colour', 'x', '', 'scmSecret'])('%j means none of them', (given) => {
  expect(nearest(given, fields)).toBeUndefined()
})

test('among nothing there is nothing to mean', () => {
  expect(nearest('queue', [])).toBeUndefined()
})
