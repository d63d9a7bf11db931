import { expect, test } from 'vitest'
import { createFaultBoard, matchesPath } from './faults.ts'

test('a fault strikes as often as it was told and only what it names', () => {
  const board = createFaultBoard(1, [{ kind: 'drop', event: 'push', times: 2 }])
  expect(board.strikeDelivery('issues', 'opened')).toBeUndefined()
  expect([1, 2, 3].map(() => board.strikeDelivery('push', undefined)?.kind)).toEqual(['drop', 'drop', undefined])
  expect([board.pending(), board.struck().length]).toEqual([[], 2])
})

test('a fault can be taken back, and all can be cleared', () => {
  const board = createFaultBoard(1, [])
  const takeBack = board.inject({ kind: 'errorAfterWrite', times: 9 })
  takeBack()
  expect(board.strikeRequest('errorAfterWrite', 'POST', '/x')).toBeUndefined()
  board.inject({ kind: 'staleMergeable', times: 9 })
  board.clear()
  expect(board.strikeMergeability()).toBe(false)
})

test('a star is one segment of a path, two at the end are any rest', () => {
  expect(matchesPath('/repos/*/*/issues', '/repos/a/b/issues')).toBe(true)
  expect(matchesPath('/repos/*/*/issues', '/repos/a/b/issues/1')).toBe(false)
  expect(matchesPath('/repos/**', '/repos/a/b/issues/1')).toBe(true)
  expect(matchesPath('/repos/a/**', '/repos/b/c')).toBe(false)
})
