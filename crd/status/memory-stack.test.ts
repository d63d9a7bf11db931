import { expect, test } from 'vitest'
import { newMemoryStack, type MemoryStackContext } from '../../machines/memory-stack/context.ts'
import { stackFinding, stackPhase, type StackActor } from './memory-stack.ts'

function anActor(path: string, context: Partial<MemoryStackContext> = {}): StackActor {
  const seen = { part: 'postgres', words: 'it grows' } as const
  return { path, context: { ...newMemoryStack('default/demo'), ...seen, ...context } }
}

test.each<
  [state: string, context: Partial<MemoryStackContext>, phase: string | undefined, reason: string, message: string]
>([
  ['pending', {}, 'Pending', 'Pending', 'It waits for postgres: it grows'],
  ['pending', { words: '' }, 'Pending', 'Pending', 'It waits for postgres'],
  ['pending', { isLate: true }, 'Pending', 'Late', 'For longer than it should take, it waits for postgres: it grows'],
  ['running', { words: '' }, 'Running', 'Running', 'It serves, as it is wanted.'],
  ['degraded', {}, 'Degraded', 'Degraded', 'One part is not as it is wanted. postgres: it grows'],
  ['degraded', { isLate: true }, 'Degraded', 'Late', 'One part is not as it is wanted. postgres: it grows'],
  ['ending', {}, undefined, 'Ending', 'It ends, and what holds data stays. postgres: it grows'],
  ['absent', { words: 'a claim' }, undefined, 'Ended', 'These stay: a claim'],
])('a stack that is %s with %j is said as it is (PROJECT-STATUS-4, PROJECT-STATUS-17)', (...row) => {
  const [state, context, phase, reason, message] = row
  const actor = anActor(state, context)
  expect(stackPhase(actor)).toBe(phase)
  const status = state === 'running' ? 'True' : 'False'
  expect(stackFinding(actor)).toEqual({ type: 'MemoryStack', status, reason, message })
})

test('a look that saw nothing is said behind what was seen before (PROJECT-STATUS-17)', () => {
  const { message } = stackFinding(anActor('running', { words: '', trouble: 'unanswered: no route' })) ?? {}
  expect(message).toBe('It serves, as it is wanted. The last look saw nothing: unanswered: no route')
})

test('of none that anything stays of nothing is said', () => {
  expect(stackFinding(anActor('absent', { words: '' }))).toBeUndefined()
})
