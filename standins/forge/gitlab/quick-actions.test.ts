import { expect, test } from 'vitest'
import { extractQuickActions } from './quick-actions.ts'

test.each([
  ['one on a line of its own', 'Good.\n/close\nThanks.', 'Good.\nThanks.', ['close ']],
  ['one with words behind it', '/label ~bug ~"two words"', '', ['label ~bug ~"two words"']],
  ['one in capitals', '/CLOSE', '', ['close ']],
  ['one that the thread cannot do', 'Yes.\n\n/approve\n', 'Yes.', ['approve ']],
  ['none within a line', 'Please /close it', 'Please /close it', []],
  ['none behind a blank', ' /close', ' /close', []],
  ['none in backticks', '`/close`', '`/close`', []],
  ['none that it does not know', '/hold\n/retry', '/hold\n/retry', []],
  ['none in a fenced block', '```\n/close\n```', '```\n/close\n```', []],
  ['none between quotes', '>>>\n/close\n>>>', '>>>\n/close\n>>>', []],
  ['none in an HTML block', '<details>\n/close\n</details>', '<details>\n/close\n</details>', []],
  ['one behind a fence that nobody closed', '```\n/close', '```', ['close ']],
])('of a text GitLab takes %s', (_what, text, left, taken) => {
  const { text: kept, actions } = extractQuickActions(text)
  expect([kept, actions.map(({ name, argument }) => `${name} ${argument}`)]).toEqual([left, taken])
})
