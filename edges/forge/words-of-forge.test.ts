import { expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { reasons } from '../../machines/generated/reasons.ts'
import { inWordsOf } from './words-of-forge.ts'

const text = 'Write `/approve` or /approve. See src/approve/a.ts and /approve-all, `/hold` withdraws.'

test('on an issue of GitLab people are asked for a word that GitLab keeps, and that approves', () => {
  expect(inWordsOf('forge_b', 'issue', text)).toBe(
    'Write `approve` (a line of its own) or `approve`. See src/approve/a.ts and /approve-all, `/hold` withdraws.',
  )
  expect(judgeComment('Fine.\n\napprove')).toBe('approves')
})

test('elsewhere the words stay', () => {
  expect(inWordsOf('forge_b', 'mr', text)).toBe(text)
  expect(inWordsOf('forge_a', 'issue', text)).toBe(text)
})

test('what a reason adds for people whose forge it does not know is left out', () => {
  const { unblocks } = reasons['task/pod.working.idle/awaiting-approval']
  expect(inWordsOf('forge_b', 'issue', unblocks)).toBe(
    'a maintainer writes `approve` (a line of its own) on the issue; any other comment goes to the agent',
  )
})
