import { expect, it } from 'vitest'
import { jsonRows } from './json-rows.ts'

const file = {
  format: 'x/1',
  none: undefined,
  rows: [
    { id: 1, at: [1, 2] },
    { id: 2, at: [] },
  ],
  empty: [],
  nothing: {},
}

it('writes one entry a line down to the given level, and compact JSON below it', () => {
  expect(jsonRows(file, 2)).toBe(`{
 "format": "x/1",
 "rows": [
  {"id":1,"at":[1,2]},
  {"id":2,"at":[]}
 ],
 "empty": [],
 "nothing": {}
}
`)
  expect(jsonRows(file, 0)).toBe(`${JSON.stringify(file)}\n`)
})

it('changes one line when one row changes', () => {
  const before = jsonRows(file, 2).split('\n')
  const after = jsonRows({ ...file, rows: [file.rows[0], { id: 2, at: [3, 4, 5] }] }, 2).split('\n')
  expect(after.filter((line, index) => line !== before[index])).toEqual(['  {"id":2,"at":[3,4,5]}'])
})

it('writes what JSON reads back as the same value', () => {
  for (const levels of [0, 1, 2, 3, 9])
    expect(JSON.parse(jsonRows(file, levels))).toEqual(JSON.parse(JSON.stringify(file)))
})
