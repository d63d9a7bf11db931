import { expect, test } from 'vitest'
import { actorAddress } from './actor-address.ts'

test('a Task goes by its own name, and every actor by its address', () => {
  expect(actorAddress('implement-lib-1')).toBe('task:default/implement-lib-1')
  expect(actorAddress('team/implement-lib-1')).toBe('task:team/implement-lib-1')
  expect(actorAddress('pod:default/implement-lib-1/2')).toBe('pod:default/implement-lib-1/2')
})
