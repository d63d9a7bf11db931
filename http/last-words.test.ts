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
