import { expect, test } from 'vitest'
import { logFile } from './log-file.ts'

test('a disk that takes nothing leaves a gap that is counted once it takes again, and ends nobody', () => {
  const written: string[] = []
  let isFull = false
  const log = logFile('a.log', (_path, text) => {
    if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    written.push(text)
  })
  log.write('one\n')
  isFull = true
  for (const text of ['two\n', 'three\n']) expect(() => log.write(text)).not.toThrow()
  isFull = false
  log.write('four\n')
  log.write('five\n')
  expect(written).toEqual([
    'one\n',
    '{"msg":"2 pieces of this log were not written: the disk took nothing"}\nfour\n',
    'five\n',
  ])
})
