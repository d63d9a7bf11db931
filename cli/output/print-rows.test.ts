import { expect, test } from 'vitest'
import { said } from '../commands/testing/fixture.ts'
import { printRows } from './print-rows.ts'

const list = { none: 'no actors', lines: (items: readonly object[]) => items.map(() => 'a row') }

test('an empty list with --json says so beside its output, which has a line for each item, and none here', async () => {
  expect(await said(async () => printRows([], true, list))).toEqual({ out: '', err: 'no actors' })
})

test('items are lines of JSON, or rows for people', async () => {
  expect(await said(async () => printRows([{ a: 1 }, { a: 2 }], true, list))).toEqual({
    out: '{"a":1}\n{"a":2}',
    err: '',
  })
  expect(await said(async () => printRows([{ a: 1 }], false, list))).toEqual({ out: 'a row', err: '' })
  expect(await said(async () => printRows([], false, list))).toEqual({ out: 'no actors', err: '' })
})
