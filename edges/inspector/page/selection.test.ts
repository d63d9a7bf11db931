import { expect, test } from 'vitest'
import { filterNames, leftOut, readFilter, readSelection, viewOf, writeSelection } from './selection.ts'

const none = readFilter('')

test('an address says what is looked at and what is listed, and only that', () => {
  const filter = { ...none, project: 'default/lib', q: '50% of #7 & more', sort: 'newest' }
  const hash = writeSelection({ address: 'task:default/a b', seq: 4 }, filter)
  expect(hash).toBe('#actor=task:default/a%20b&seq=4&q=50%25%20of%20%237%20%26%20more&project=default/lib&sort=newest')
  expect([readSelection(hash), readFilter(hash)]).toEqual([{ address: 'task:default/a b', seq: 4 }, filter])
  expect(writeSelection({}, none)).toBe('#')
  expect(writeSelection({ address: 'task:a', view: 'chart' }, none)).toBe('#actor=task:a')
  const story = writeSelection({ address: 'task:a', view: 'story' }, none)
  expect([viewOf(readSelection(story)), viewOf(readSelection('#')), viewOf(readSelection('#actor=a'))]).toEqual([
    'story',
    'board',
    'chart',
  ])
})

test('an address that somebody else wrote shows no more than there is', () => {
  expect(readSelection('#actor=&seq=-1&view=admin&q=x')).toEqual({})
  expect([viewOf({ view: 'chart' }), viewOf({ address: 'task:a', view: 'board' })]).toEqual(['board', 'chart'])
  expect(readFilter('#__proto__=1&ended=no&nonsense=1')).toEqual({ ...none, ended: 'no' })
  expect(Object.keys(none)).toEqual([...filterNames])
})

test.each<[string, string | undefined]>([
  ['#actor=task:a&seq=3&view=story&q=7&kind=nobody&sort=newest&ended=no&rests=600000', undefined],
  ['#seq=-1', 'seq “-1”'],
  ['#seq=abc', 'seq “abc”'],
  ['#ended=yes&rests=soon&nonsense=1', 'ended “yes” and rests “soon” and “nonsense”'],
  [`#q=${'x'.repeat(3000)}&project=default/demo`, 'q of 3,000 characters'],
  [`#actor=${'x'.repeat(2000)}&project=default/demo`, `actor “${'x'.repeat(40)}…”`],
  ['#seq=%E2%80%AE5', 'seq “\\u202e5”'],
])(
  '%s: what an address names and the page does not take is said, and the rest is used (INSPECTOR-10)',
  (hash, words) => {
    const sentence = `The address asks for ${words}, which this page does not know or take. The rest is shown.`
    expect(leftOut(hash)).toBe(words && sentence)
    expect(readSelection(hash).address).toBe(hash.includes('task:a') ? 'task:a' : undefined)
    if (hash.includes('demo')) expect(readFilter(hash)).toEqual({ ...none, project: 'default/demo' })
  },
)
