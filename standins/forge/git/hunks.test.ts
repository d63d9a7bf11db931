import { expect, test } from 'vitest'
import { locate, locatePosition } from './hunks.ts'

const PATCH = [
  '@@ -3,4 +3,4 @@ context',
  ' three',
  '-four',
  '+4',
  ' five',
  ' six',
  '@@ -20,2 +20,3 @@',
  ' twenty',
  '+new',
  ' last',
  '\\ No newline at end of file',
].join('\n')

test('a line is found by its number on its side, with the hunk down to it', () => {
  expect(locate(PATCH, 4, 'RIGHT')).toEqual({
    position: 3,
    hunk: 0,
    excerpt: '@@ -3,4 +3,4 @@ context\n three\n-four\n+4',
  })
  expect(locate(PATCH, 4, 'LEFT')).toMatchObject({ position: 2 })
  expect(locate(PATCH, 22, 'RIGHT')).toEqual({
    position: 9,
    hunk: 1,
    excerpt: '@@ -20,2 +20,3 @@\n twenty\n+new\n last',
  })
  expect(locate(PATCH, 21, 'LEFT')).toMatchObject({ position: 9 })
})

test('lines between the hunks, beyond them and on the wrong side are not found', () => {
  for (const line of [1, 2, 7, 19, 23]) expect(locate(PATCH, line, 'RIGHT'), String(line)).toBeUndefined()
  expect(locate(PATCH, 22, 'LEFT')).toBeUndefined()
})

test('a position means the line that it counts to, removed lines on the left', () => {
  expect(locatePosition(PATCH, 2)).toMatchObject({ line: 4, side: 'LEFT' })
  expect(locatePosition(PATCH, 3)).toMatchObject({ line: 4, side: 'RIGHT' })
  for (const position of [0, 6, 10, 11]) expect(locatePosition(PATCH, position), String(position)).toBeUndefined()
})
