import { expect, test } from 'vitest'
import { lastWords } from './last-words.ts'

const info = JSON.stringify({
  level: 30,
  time: '2026-01-02',
  name: 'wrapper',
  route: '/v1/session',
  msg: 'request answered',
})
const stopping = JSON.stringify({ level: 30, time: '2026-01-02', name: 'wrapper', reason: 'SIGTERM', msg: 'stopping' })

test('of a program that a signal stopped, the last words are no lines of its log: there are none', () => {
  expect(lastWords(`${info}\n${stopping}\n`)).toBe('')
})

test('of one that failed they are the messages of its errors, with their causes and faults', () => {
  const failed = JSON.stringify({ level: 50, err: { message: 'EACCES' }, msg: 'the wrapper failed and ends' })
  const refused = JSON.stringify({
    level: 50,
    faults: [{ path: 'PORT', message: 'is missing' }],
    msg: 'it is not valid',
  })
  expect(lastWords([info, refused, failed, stopping].join('\n'))).toBe(
    'it is not valid: PORT is missing | the wrapper failed and ends: EACCES',
  )
})

test('lines that are no log stay as they are, the last three, and half a line of a log is none', () => {
  expect(lastWords('first\nsecond\n\nthird\nfourth\n')).toBe('second | third | fourth')
  expect(lastWords(`${info.slice(20)}\n{"a": 1}\nkilled\n`)).toBe('{"a": 1} | killed')
})

test('what was written long before the end is not why it ended', () => {
  const failed = JSON.stringify({ level: 50, msg: 'the forge did not answer' })
  expect(lastWords(['a warning', failed, ...Array.from({ length: 10 }, () => info)].join('\n'))).toBe('')
  expect(lastWords([failed, ...Array.from({ length: 9 }, () => info)].join('\n'))).toBe('the forge did not answer')
})

test('of an error whose line was cut at its begin they are its message, and of a line that was cut at its end there are none', () => {
  const stack = `Error: EACCES\n    at start (file:///app/main.js:1:1)${'\n    at next (file:///app/next.js:2:2)'.repeat(60)}`
  const failed = JSON.stringify({ level: 50, err: { message: 'EACCES', stack }, msg: 'the "wrapper" failed' })
  expect(lastWords(failed.slice(-2048))).toBe('the "wrapper" failed')
  expect(lastWords(`${info}\n${info.slice(0, 30)}`)).toBe('')
})
