import { expect, test } from 'vitest'
import { inputBox } from './input-box.ts'
import { keyReader } from './keys.ts'

test('a paste that comes in pieces is one key, and Enter after it another', () => {
  const reader = keyReader()
  expect(reader.read('typed\u001b[200~first')).toEqual([{ type: 'text', text: 'typed' }])
  expect(reader.read(' second\u001b[20')).toEqual([])
  expect(reader.read('1~\r')).toEqual([{ type: 'paste', text: 'first second' }, { type: 'enter' }])
})

test('a lone ESC is a key only when nothing follows it; answers of a terminal are no keys', () => {
  const reader = keyReader()
  expect(reader.read('\u001b')).toEqual([])
  expect(reader.flush()).toEqual([{ type: 'escape' }])
  expect(reader.read('\u001b[?62;4c\u001b[I\u001b[B')).toEqual([{ type: 'down' }])
})

test('a long paste is wrapped after what was typed, a short one is not', () => {
  const box = inputBox('abcd')
  box.type('Do this:')
  box.paste('\na\nb\tc\r\nd\n\n')
  expect(box.submit()).toBe('Do this:\n\n<pasted_content id="abcd">\n\na\nb    c\nd\n</pasted_content id="abcd">')
  box.paste('one\ntwo')
  expect(box.submit()).toBe('one\ntwo')
})

test('invisible characters cost one Enter', () => {
  const box = inputBox('abcd')
  box.type('a\u200bb')
  expect(box.submit()).toBeUndefined()
  expect(box.submit()).toBe('ab')
  expect(box.isEmpty).toBe(true)
})
