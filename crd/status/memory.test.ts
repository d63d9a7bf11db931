import { expect, test } from 'vitest'
import { newMemory, type MemoryContext } from '../../machines/memory/context.ts'
import { memoryStatus } from './memory.ts'

const endpoint = 'http://memory.test'

function phaseAt(state: string, context: Partial<MemoryContext>): string | undefined {
  const actor = { path: state, context: { ...newMemory('default/demo'), ...context } }
  return memoryStatus({ endpoint, externalEndpoint: undefined }, { filling: actor }).phase
}

const lib = { commit: 'c1', due: 0, trouble: '', since: 1 }

test('a memory is pending until a step has seen it, runs, and is degraded by what a step could not do (PROJECT-STATUS-4)', () => {
  expect(phaseAt('filling', {})).toBe('Pending')
  expect(phaseAt('resting', { heldBy: 'the Project is paused', holds: 1 })).toBe('Pending')
  expect(phaseAt('resting', { repositories: { lib } })).toBe('Running')
  expect(phaseAt('filling', { repositories: { lib: { ...lib, due: 9 } } })).toBe('Running')
  expect(phaseAt('resting', { repositories: { lib }, trouble: 'lib: connection refused' })).toBe('Degraded')
  expect(phaseAt('resting', { trouble: 'no answer in an hour' })).toBe('Degraded')
})

test('of one that nobody fills nothing is known but where it is', () => {
  expect(phaseAt('off', { repositories: { lib } })).toBeUndefined()
  expect(memoryStatus({ endpoint, externalEndpoint: undefined }, { filling: undefined })).toEqual({ endpoint })
})

test('the status has the address from outside where there is one (PROJECT-STATUS-6)', () => {
  const externalEndpoint = 'https://sw.test/api/v1/memory/demo'
  expect(memoryStatus({ endpoint, externalEndpoint }, { filling: undefined })).toEqual({ endpoint, externalEndpoint })
})
