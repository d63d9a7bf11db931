import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Problem } from '../../http/problems/problem.ts'
import { readTail } from './log-tail.ts'
import { withFolder } from './testing/fixture.ts'

const wish = { lines: 10, bytes: 1_000 }

function withLog(text: string | Buffer, use: (path: string) => Promise<void>): Promise<void> {
  return withFolder(async (root) => {
    const path = join(root, 'wrapper.log')
    writeFileSync(path, text)
    await use(path)
  })
}

test('the newest lines of a file, and whether there were earlier ones (OPERATIONS-9)', () =>
  withLog('one\ntwo\nthree\n', async (path) => {
    expect(await readTail(path, wish, true)).toEqual({
      lines: ['one', 'two', 'three'],
      isTruncated: false,
      cursor: '14',
    })
    expect(await readTail(path, { ...wish, lines: 2 }, true)).toEqual({
      lines: ['two', 'three'],
      isTruncated: true,
      cursor: '14',
    })
  }))

test('a long file is read from its end alone, from a whole line on (OPERATIONS-9)', () =>
  withLog(`${'x'.repeat(5_000_000)}\nlast but one\nlast\n`, async (path) => {
    expect(await readTail(path, { lines: 10, bytes: 17 }, true)).toEqual({
      lines: ['last'],
      isTruncated: true,
      cursor: '5000019',
    })
  }))

test('a line that is longer than all that is wanted is given by its end', () =>
  withLog(`${'x'.repeat(5_000)}end`, async (path) => {
    for (const isGrowing of [true, false])
      expect((await readTail(path, { lines: 10, bytes: 5 }, isGrowing))?.lines).toEqual(['xxend'])
  }))

test('a cursor gives what came since, and a line that is half written once it is whole', () =>
  withLog('one\nha', async (path) => {
    const first = await readTail(path, wish, true)
    expect(first).toEqual({ lines: ['one'], isTruncated: false, cursor: '4' })
    appendFileSync(path, 'lf\nthree\n')
    const next = await readTail(path, { ...wish, after: '4' }, true)
    expect(next).toEqual({ lines: ['half', 'three'], isTruncated: false, cursor: '15' })
    expect(await readTail(path, { ...wish, after: '15' }, true)).toEqual({
      lines: [],
      isTruncated: false,
      cursor: '15',
    })
  }))

test('nobody writes on: the last line needs no end', () =>
  withLog('one\nlast words', async (path) => {
    expect((await readTail(path, wish, false))?.lines).toEqual(['one', 'last words'])
  }))

test('bytes that are no UTF-8 are replaced; a file that is not there has no tail', () =>
  withLog(Buffer.from([0x61, 0xff, 0x0a]), async (path) => {
    expect((await readTail(path, wish, true))?.lines).toEqual(['a\ufffd'])
    expect(await readTail(`${path}.none`, wish, true)).toBeUndefined()
  }))

test('a cursor of another log is refused; one beyond the end is of an earlier file', () =>
  withLog('one\n', async (path) => {
    for (const after of ['2026-01-01T00:00:00Z/1', '-1', ''])
      await expect(readTail(path, { ...wish, after }, true)).rejects.toThrow(Problem)
    expect((await readTail(path, { ...wish, after: '99' }, true))?.lines).toEqual(['one'])
  }))
