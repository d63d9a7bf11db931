import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { withoutBase64 } from './clean.ts'

const data = randomBytes(3000).toString('base64')
const lines = (length: number): string[] => data.match(new RegExp(`.{1,${length}}`, 'g')) ?? []
const mark = '[base64 left out]'
const plain = data.replaceAll('/', 'x')

test.each([
  ['Markdown', `A ![b](data:image/png;base64,${data}) c`, `A ![b](data:image/png;base64,${mark}) c`],
  ['SVG', `<image href="data:image/png;base64,${data}"/>`, `<image href="data:image/png;base64,${mark}"/>`],
  ['CSS', `a { src: url(data:font/woff2;base64,${data}) }`, `a { src: url(data:font/woff2;base64,${mark}) }`],
  ['JSON that escapes', `{"a":"${data.replaceAll('/', '\\/')}"}`, `{"a":"${mark}"}`],
  ['a URL', `x?y=${data.replaceAll('+', '-').replaceAll('/', '_')}&z`, `x?y=${mark}&z`],
])('a long run of base64 in %s is left out, and the text around it stays (REPO-INGEST-18)', (_kind, text, left) => {
  expect(withoutBase64(text)).toBe(left)
})

test.each([
  ['a message', (line: string) => line, '\n'],
  ['a message of Windows', (line: string) => line, '\r\n'],
  ['a string of JSON', (line: string) => line, '\\n'],
  ['lines of a program', (line: string) => `  "${line}"`, ' +\n'],
  ['a list of JSON', (line: string) => `    "${line}\\n"`, ',\n'],
  ['an added file', (line: string) => `+${line}`, '\n'],
  ['a deleted file', (line: string) => `-${line}`, '\n'],
  ['a comment', (line: string) => ` * ${line}`, '\n'],
])('base64 in lines of %s is left out', (_kind, lineOf, between) => {
  for (const length of [64, 76]) {
    const left = withoutBase64(`before\n\n${lines(length).map(lineOf).join(between)}\n\nafter`)
    expect(left).toMatch(/^before\n\n[\s\S]*\[base64 left out\][\s\S]*\n\nafter$/)
    expect(left.length).toBeLessThan(120)
  }
})

test.each([
  ['a shorter run', plain.slice(0, 499)],
  ['an integrity', `"integrity": "sha512-${data.slice(0, 86)}==",\n`.repeat(20)],
  ['a certificate that is short', lines(64).slice(0, 6).join('\n')],
  ['hashes with names', Array.from({ length: 20 }, () => `${randomBytes(32).toString('hex')}  file`).join('\n')],
  ['rules of a comment', `// ${'/'.repeat(77)}\n`.repeat(20)],
  ['dashes', `${'-'.repeat(79)}\n${'='.repeat(79)}\n`.repeat(20)],
  ['paths', 'packages/orchestrator/source/configuration/documentation/README/v2\n'.repeat(20)],
  ['names', '  "shouldAnswer404WhenTheUserIsNotFoundAndTheServerIsBusyAtThatTime",\n'.repeat(20)],
  ['prose', 'Weeks are rare, and months never occur in the logs of a service. '.repeat(100)],
])('%s stays as it is', (_kind, text) => expect(withoutBase64(text)).toBe(text))

test.each([
  ['a'.repeat(59), ' '],
  ['a'.repeat(499), '.'],
  ['a'.repeat(60), ' '.repeat(39)],
  ['+'.repeat(61), ' '],
  [`a${'+/'.repeat(40)}`, '\\'],
  ['\\/'.repeat(59), ' '],
  ['\\/', '\\'],
  ['\\n', ''],
  ['a\\n+', '\\n/'],
  ['-_', '\n'],
])('a text of 512 KiB that repeats %.20j and %.20j is looked through in time', (word, between) => {
  const text = (word + between).repeat(2 ** 19 / (word.length + between.length))
  expect(withoutBase64(text).length).toBeLessThanOrEqual(text.length)
})

test.each(['a', 'Ab3/'.repeat(19) + '\n'])('a run of 32 MB is none too long: %j', (word) => {
  expect(withoutBase64(word.repeat(2 ** 25 / word.length))).toMatch(/^\[base64 left out\].{0,80}$/s)
})
