import { expect, test } from 'vitest'
import { createScreen } from './screen.ts'

function shown(cols: number, rows: number, ...written: readonly string[]): string {
  const screen = createScreen(cols, rows)
  for (const text of written) screen.write(text)
  return screen.text()
}

test.each([
  ['plain lines', 'ab\r\ncd', 'ab\ncd\n'],
  ['a line that is too long for its row', 'abcdef', 'abcde\nf\n'],
  ['a row that is just full, and an end of line', 'abcde\r\nf', 'abcde\nf\n'],
  ['more lines than rows', 'a\r\nb\r\nc\r\nd', 'b\nc\nd'],
  ['text over text', 'abc\rx', 'xbc\n\n'],
  ['a cursor that is placed', '\u001b[2;3Hx\u001b[1Gy\u001b[Hz', 'z\ny x\n'],
  ['a cursor that is moved', 'a\u001b[2Bb\u001b[1A\u001b[2Dc', 'a\nc\n b'],
  ['a row erased from the cursor on', 'abcd\u001b[3G\u001b[K', 'ab\n\n'],
  ['a screen erased from the cursor on', 'ab\r\ncd\r\nef\u001b[2;2H\u001b[J', 'ab\nc\n'],
  ['rows taken out and put in', 'a\r\nb\r\nc\u001b[1;1H\u001b[M\u001b[2;1H\u001b[Lx', 'b\nx\nc'],
  ['characters taken out and put in', 'abcd\u001b[2G\u001b[P\u001b[@', 'a cd\n\n'],
  ['the other screen', 'ab\u001b[?1049hc', 'c\n\n'],
  [
    'colours, titles, modes and questions',
    '\u001b[1;31ma\u001b]0;title\u0007b\u001b[?2004h\u001b[c\u001b[0mc',
    'abc\n\n',
  ],
])('%s', (_what, text, expected) => {
  expect(shown(5, 3, text)).toBe(expected)
})

test('a sequence may come in pieces', () => {
  const text = 'ab\u001b[2;2Hcd\u001b]0;a title\u0007e'
  expect(shown(5, 3, ...text)).toBe(shown(5, 3, text))
})
