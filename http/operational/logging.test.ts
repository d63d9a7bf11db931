import { expect, test } from 'vitest'
import { createLogger } from './logging.ts'
import { captureLog } from '../testing/fixture.ts'

test('a line is JSON with time, level and the program that speaks (MEMORY-LOG-2, HTTP-9)', () => {
  const log = captureLog()
  log.logger.info({ a: 1 }, 'hello')
  expect(log.lines()).toEqual([
    expect.objectContaining({
      level: 30,
      name: 'test',
      a: 1,
      msg: 'hello',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
  ])
})

test.each([
  'authorization',
  'cookie',
  'token',
  'access_token',
  'secret',
  'client_secret',
  'password',
  'private-token',
  'x-gitlab-token',
  'set-cookie',
])('%s is not written, however deep it lies', (name) => {
  const log = captureLog()
  log.logger.info(
    { [name]: 'hunter2', headers: { [name]: 'hunter2' }, request: { headers: { [name]: 'hunter2' } } },
    'x',
  )
  expect(JSON.stringify(log.lines())).not.toContain('hunter2')
  expect(log.lines()[0]).toMatchObject({ [name]: '[redacted]' })
})

test('a line steers no terminal that shows it, and a reader gets the same values', () => {
  const text = 'a\u001b]0;title\u0007\r\n\u007f\u009b2J\u2028\u202e\u2066b'
  const written: string[] = []
  createLogger({ name: 'test', destination: { write: (line) => void written.push(line) } }).info({ [text]: text }, text)
  expect(written.join('')).toMatch(/^[^\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+\n$/u)
  expect(JSON.parse(written.join(''))).toMatchObject({ [text]: text, msg: text })
})
