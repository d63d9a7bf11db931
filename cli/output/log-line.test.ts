import { expect, test } from 'vitest'
import { readableLines } from './log-line.ts'

const constants = { pid: 7, hostname: 'pod-1', name: 'wrapper' }
const event = (fields: object): string =>
  JSON.stringify({ level: 30, time: '2026-01-01T00:00:00.000Z', ...constants, ...fields })

test('a JSON line has time, level and message, then its own fields', () => {
  expect(
    readableLines(event({ turnId: 't-1', usage: { outputTokens: 5 }, text: 'two words', msg: 'turn ended' })),
  ).toEqual(['2026-01-01T00:00:00.000Z INFO  turn ended turnId=t-1 usage={"outputTokens":5} text="two words"'])
  expect(readableLines(event({ level: 50, msg: undefined, left: [] }))).toEqual([
    '2026-01-01T00:00:00.000Z ERROR left=[]',
  ])
})

test('the stack of an error follows below', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at a\n    at b' }
  expect(readableLines(event({ level: 60, err, msg: 'it ends' }))).toEqual([
    '2026-01-01T00:00:00.000Z FATAL it ends err={"type":"Error","message":"no"}',
    ...['    Error: no', '    at a', '    at b'],
  ])
})

test.each(['plain words\tand a tab', '{half', '[1]', '{"a":1}', '{"level":30'])('%s stays as it is', (line) => {
  expect(readableLines(line)).toEqual([line])
})
