import { expect, test } from 'vitest'
import { answerOn } from './stable-screen.ts'

const box = ['──────────', '❯ ', '──────────', '  bypass permissions on']
const screen = (...lines: readonly string[]): string => [...lines, ...box].join('\n')
const before = screen(' Claude Code', '❯ first', '● The first answer.')

test('the answer is what is new on the screen, from its bullet to the box of the next message', () => {
  const after = screen(' Claude Code', '❯ first', '● The first answer.', '❯ second', '', '● Two', '  lines.')
  expect(answerOn(after, before)).toBe('● Two\nlines.')
})

test('the word on how long it took is no part of it', () => {
  expect(answerOn(screen('❯ second', '● Done.', '✻ Brewed for 1s'), before)).toBe('● Done.')
})

test('an answer that was there before is missed: the method cannot tell', () => {
  expect(answerOn(screen('❯ second', '● The first answer.'), before)).toBe('❯ second')
})
