import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
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

test('a program whose log is on a full disk goes on, and ends as it wants to', () => {
  const logging = new URL('logging.ts', import.meta.url).href
  const program = `import { createLogger } from '${logging}'
    const logger = createLogger({ name: 'full' })
    for (let line = 0; line < 3; line++) {
      logger.info('a line that nobody can write')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    console.error('it goes on')`
  const full = openSync('/dev/full', 'w')
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', full, 'pipe'],
    timeout: 20_000,
  })
  expect({ status: ended.status, said: ended.stderr.toString() }).toEqual({ status: 0, said: 'it goes on\n' })
})

test('a line steers no terminal that shows it, and a reader gets the same values', () => {
  const text = 'a\u001b]0;title\u0007\r\n\u007f\u009b2J\u2028\u202e\u2066b'
  const written: string[] = []
  createLogger({ name: 'test', destination: { write: (line) => void written.push(line) } }).info({ [text]: text }, text)
  expect(written.join('')).toMatch(/^[^\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+\n$/u)
  expect(JSON.parse(written.join(''))).toMatchObject({ [text]: text, msg: text })
})
