import { WriteStream } from 'node:tty'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { readDocuments } from '../../crd/documents.ts'
import { visible } from '../../http/operational/visible.ts'
import { said } from '../commands/testing/fixture.ts'
import { progress } from './progress.ts'
import { table } from './table.ts'
import { errorLines, print, printError, printTitled } from './terminal.ts'
import { yamlLines } from './yaml-lines.ts'

/** What a terminal obeys, and what turns a text around. */
const marks: Readonly<Record<string, string>> = {
  ESC: '\u001b',
  BEL: '\u0007',
  CR: '\r',
  LF: '\n',
  NUL: '\0',
  backspace: '\b',
  DEL: '\u007f',
  'CSI of C1': '\u009b',
  'OSC of C1': '\u009d',
  'ST of C1': '\u009c',
  NEL: '\u0085',
  'line separator': '\u2028',
  'paragraph separator': '\u2029',
  'Arabic letter mark': '\u061c',
  'left-to-right mark': '\u200e',
  'right-to-left mark': '\u200f',
  'right-to-left override': '\u202e',
  'left-to-right embedding': '\u202a',
  'first strong isolate': '\u2068',
  'end of an isolate': '\u2069',
}

describe.each(Object.entries(marks))('%s', (_name, mark) => {
  test('is shown by its number', () => {
    expect(visible(`a${mark}b`)).toBe(`a\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}b`)
  })

  test('stays the same value in JSON and YAML', () => {
    const value = { [`key${mark}`]: [`a${mark}b`, `${mark}`, `lines\nof ${mark} text\n\n`], plain: 'c: #d' }
    expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value)
    expect(JSON.parse(JSON.stringify(value, null, 2).split('\n').map(visible).join('\n'))).toEqual(value)
    expect(parse(yamlLines([value]).map(visible).join('\n'))).toEqual(value)
  })
})

test('what `get -o yaml` prints is applied as the same: words and numbers of YAML 1.1 stand in quotes', () => {
  const value = {
    autoApproveMaxSignificance: 'off',
    list: ['yes', 'No', '0755', '1_000', 'true', '~'],
    count: 7,
    is: true,
  }
  expect(readDocuments(yamlLines([value]).join('\n'))).toEqual([value])
})

test('letters, tabs, emoji and right-to-left words stay as they are', () => {
  const text = 'žluťoučký\t鷺 👩‍👩‍👧 שלום مرحبا \\u001b'
  expect(visible(text)).toBe(text)
})

test('the lines of a command stay, a line feed within one does not', async () => {
  const shown = await said(async () => {
    print(['one', 'two\nthree'])
    printError('four\nfive')
  })
  expect(shown).toEqual({ out: 'one\ntwo\\u000athree', err: 'four\\u000afive' })
})

test('an error of several lines stays one, with what is below its first line indented', () => {
  expect(errorLines('the call failed:\n  /a is required\nit has been delivered')).toEqual([
    'the call failed:',
    '  /a is required',
    '  it has been delivered',
  ])
})

test('a column is as wide as what is shown', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['\u001b', 'x'],
        ['y', 'z'],
      ],
    ),
  ).toEqual(['A       B', '\\u001b  x', 'y       z'])
})

test('progress moves its own line alone', () => {
  const drawn: string[] = []
  const { isTTY } = process.stderr
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => drawn.push(String(text)) > 0)
  try {
    process.stderr.isTTY = true
    const shown = progress('reading', () => 0)
    shown.update(1, 1, 'a\u001b]0;title\u0007\r')
    shown.end()
  } finally {
    process.stderr.isTTY = isTTY
    vi.restoreAllMocks()
  }
  expect(drawn[0]).toMatch(/^\r\u001b\[K.* {2}a\\u001b/)
  expect(drawn.map((line) => line.replace('\r\u001b[K', '')).join('')).not.toMatch(/\p{Cc}/u)
})

test('a title is bold on a terminal, in a file as the rest, and without colour where NO_COLOR is set', () => {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const { isTTY: wasTerminal, getColorDepth } = process.stdout
  onTestFinished(() => {
    log.mockRestore()
    Object.assign(process.stdout, { isTTY: wasTerminal, getColorDepth })
    vi.unstubAllEnvs()
  })
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI', 'TF_BUILD']) vi.stubEnv(name, undefined)
  vi.stubEnv('TERM', 'xterm')
  // The stream of a test is no terminal's, which knows NO_COLOR.
  Object.assign(process.stdout, { isTTY: true, getColorDepth: WriteStream.prototype.getColorDepth })
  printTitled(['NAME\u001b[2J', 'a'])
  vi.stubEnv('NO_COLOR', '1')
  printTitled(['NAME', 'a'])
  vi.stubEnv('NO_COLOR', undefined)
  process.stdout.isTTY = false
  printTitled(['NAME', 'a'])
  expect(lines).toEqual(['\u001b[1mNAME\\u001b[2J\u001b[22m\na', 'NAME\na', 'NAME\na'])
})
