import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { StackSight, StackWanted } from '../../machines/memory-stack/events.ts'
import type { MemoryStacks } from '../ports/memory-stacks.ts'
import { reconcileMemoryStack } from './memory-stack.ts'

const wanted: StackWanted = {
  ...{ profile: 'light', pgInstances: 1, fills: true },
  ...{ pgStorage: '10Gi', pgWalStorage: '8Gi', neo4jStorage: '10Gi' },
}
const sight: StackSight = { phase: 'running', part: 'service', words: '', endpoint: 'http://m', externalEndpoint: '' }
const clock = simulatedClock(7)

function look(stacks: Partial<MemoryStacks> | undefined, given: StackWanted | null = wanted, stop?: AbortSignal) {
  const { perform } = reconcileMemoryStack({ stacks: stacks as MemoryStacks | undefined, clock })
  const call = { actor: 'memory-stack:default/demo', key: 'k', at: 5, attempt: 1, isHeld: () => true } as const
  const params = { project: 'default/demo', run: 'stack/1', wanted: given }
  return perform(params, { ...call, signal: stop ?? new AbortController().signal } as never)
}

test('a look brings the stack nearer and answers how it was found; one that nobody wants is ended', async () => {
  const asked: unknown[] = []
  const stacks: MemoryStacks = {
    reconcile: async (...[project, size]) => (asked.push([project, size]), sight),
    end: async (project) => (asked.push(project), { ...sight, phase: 'gone', words: 'w'.repeat(2000) }),
  }
  const answer = { to: 'memory-stack:default/demo', key: 'k/seen' }
  const event = { type: 'stack.seen', at: 5, run: 'stack/1' }
  expect(await look(stacks)).toEqual([{ ...answer, event: { ...event, ...sight } }])
  const [gone] = await look(stacks, null)
  expect(gone?.event).toMatchObject({ phase: 'gone', words: 'w'.repeat(1000) })
  expect(asked).toEqual([['default/demo', wanted], 'default/demo'])
})

test('what cannot be asked is a failed look, in its own words', async () => {
  const away = { reconcile: () => Promise.reject(new Error('connect ECONNREFUSED')) }
  await expect(look(away)).rejects.toMatchObject({ reason: 'unanswered', words: 'connect ECONNREFUSED' })
  await expect(look(undefined)).rejects.toMatchObject({ reason: 'this orchestrator runs no memory stacks' })
})

test('a look that takes longer than two minutes is ended, and fails', async () => {
  let ended = false
  const slow = {
    reconcile: (...[, , signal]: Parameters<MemoryStacks['reconcile']>) => {
      signal.addEventListener('abort', () => (ended = true))
      return new Promise<never>(() => undefined)
    },
  }
  const late = expect(look(slow)).rejects.toMatchObject({ words: 'no answer within 120000 ms' })
  await clock.advance(120_000)
  await late
  expect(ended).toBe(true)
})

test('a process that stops is no failed look: it is asked for again', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'))
  const stacks = { reconcile: () => Promise.reject(new Error('half done')) }
  await expect(look(stacks, wanted, stopped)).rejects.toThrow('stopped')
})
