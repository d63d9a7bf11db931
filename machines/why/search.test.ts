import { expect, test } from 'vitest'
import { isFoundBy, listedHash, namedLine } from './search.ts'

const sha = '0123456789abcdef0123456789abcdef01234567'
const one = {
  words: 'task:default/a\nparse durations with 7 units\nlib#7',
  named: namedLine('commit', sha.slice(0, listedHash)),
}

test.each<[boolean, string]>([
  [true, 'units parse'],
  [true, ' LIB#7   Durations '],
  [true, ''],
  [false, 'units minutes'],
  [true, sha.toUpperCase()],
  [true, '0123456 parse'],
  [false, '012345'],
  [false, sha.slice(1)],
  [true, `${sha}${sha}`.slice(0, 64)],
  [false, `${sha.slice(0, 11)}0`],
])(
  '%s: the search “%s” finds a text by all its words, and a commit by its first seven characters',
  (isFound, search) => {
    expect(isFoundBy(search, one)).toBe(isFound)
  },
)
