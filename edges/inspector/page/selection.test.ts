import { expect, test } from 'vitest'
import { filterNames, readFilter, readSelection, writeSelection } from './selection.ts'

const none = readFilter('')

test('an address says what is looked at and what is listed, and only that', () => {
  const filter = { ...none, project: 'default/lib', q: '50% of #7 & more', sort: 'newest' }
  const hash = writeSelection({ address: 'task:default/a b', seq: 4 }, filter)
  expect(hash).toBe('#actor=task:default/a%20b&seq=4&q=50%25%20of%20%237%20%26%20more&project=default/lib&sort=newest')
  expect([readSelection(hash), readFilter(hash)]).toEqual([{ address: 'task:default/a b', seq: 4 }, filter])
  expect(writeSelection({}, none)).toBe('#')
})

test('an address that somebody else wrote shows no more than there is', () => {
  expect(readSelection('#actor=&seq=-1&q=x')).toEqual({})
  expect(readFilter('#__proto__=1&ended=no&nonsense=1')).toEqual({ ...none, ended: 'no' })
  expect(Object.keys(none)).toEqual([...filterNames])
})
