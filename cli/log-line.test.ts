import { expect, test } from 'vitest'
import { readableLine, withoutControls } from './log-line.ts'

const constants = { pid: 7, hostname: 'pod-1', name: 'wrapper' }
const event = (fields: object): string =>
  JSON.stringify({ level: 30, time: '2026-01-01T00:00:00.000Z', ...constants, ...fields })

test('a JSON line has time, level and message, then its own fields', () => {
  expect(readableLine(event({ turnId: 't-1', usage: { outputTokens: 5 }, text: 'two words', msg: 'turn ended' }))).toBe(
    '2026-01-01T00:00:00.000Z INFO  turn ended turnId=t-1 usage={"outputTokens":5} text="two words"',
  )
  expect(readableLine(event({ level: 50, msg: undefined, left: [] }))).toBe('2026-01-01T00:00:00.000Z ERROR left=[]')
})

test('the stack of an error follows below', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at a\n    at b' }
  expect(readableLine(event({ level: 60, err, msg: 'it ends' }))).toBe(
    [
      '2026-01-01T00:00:00.000Z FATAL it ends err={"type":"Error","message":"no"}',
      ...['    Error: no', '    at a', '    at b'],
    ].join('\n'),
  )
})

test.each(['plain words\tand a tab', '{half', '[1]', '{"a":1}', '{"level":30'])('%s stays as it is', (line) => {
  expect(readableLine(line)).toBe(line)
})

test('no line moves the cursor of a terminal or colours it', () => {
  expect(withoutControls('a\u001b[2Jb\rc\u009bd\te')).toBe('a\\x1b[2Jb\\x0dc\\x9bd\te')
  for (const line of [event({ msg: 'a\u001b[31mb\nc' }), event({ err: { stack: 'x\u001b]0;title\u0007' } })])
    expect(readableLine(line).replaceAll('\n    ', '')).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
})
