import { expect, test } from 'vitest'
import { silentLogger } from '../../runtime/logger.ts'
import type { EffectContext } from '../../runtime/runtime.ts'
import type { ProjectSettings } from '../forge/projects.ts'
import type { MemorySource } from '../ports/memory-intake.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { fillMemory } from './fill-memory.ts'

const whole = { commit: 'c2', due: 0, trouble: '' }
const project = { repositories: [{ name: 'lib' }, { name: 'app' }] } as unknown as ProjectSettings
const asked = { project: 'default/demo', run: 'memory/4' }

function contextOf(signal = new AbortController().signal): EffectContext {
  return { key: 'k', actor: 'memory:default/demo', attempt: 1, at: 5, signal, assertHeld: () => undefined }
}

function handlerWith(given: Partial<Parameters<typeof fillMemory>[0]>) {
  return fillMemory({
    directory: { project: async () => project },
    clock: simulatedClock(0),
    logger: silentLogger,
    known: async () => ({ lib: { commit: 'c1', due: 0, trouble: '' } }),
    heldBy: async () => '',
    sourceOf: async (_project, repository) => ({ repository }) as MemorySource,
    intake: async () => whole,
    ...given,
  })
}

test('each Repository of the Project is taken in, one after the other, and the actor learns how each stands', async () => {
  const order: string[] = []
  const handler = handlerWith({
    intake: async ({ repository }) => {
      order.push(`${repository} begins`)
      await new Promise(setImmediate)
      order.push(`${repository} ends`)
      return whole
    },
  })
  expect(await handler.perform(asked, contextOf())).toEqual([
    {
      to: 'memory:default/demo',
      key: 'k/filled',
      event: { type: 'memory.filled', at: 5, run: 'memory/4', repositories: { lib: whole, app: whole } },
    },
  ])
  expect(order).toEqual(['lib begins', 'lib ends', 'app begins', 'app ends'])
})

test('one that fails keeps the commit that is known of it, and the next one is taken in', async () => {
  const handler = handlerWith({
    intake: async ({ repository }) => {
      if (repository === 'lib') throw new Error('it has no branch main')
      return whole
    },
  })
  expect((await handler.perform(asked, contextOf()))[0]?.event['repositories']).toEqual({
    lib: { commit: 'c1', due: 0, trouble: 'it has no branch main' },
    app: whole,
  })
})

test('while the Project is paused or not ready nothing is read', async () => {
  const handler = handlerWith({
    heldBy: async () => 'the Project is paused',
    sourceOf: () => Promise.reject(new Error('read')),
  })
  expect(await handler.perform(asked, contextOf())).toEqual([
    {
      to: 'memory:default/demo',
      key: 'k/held',
      event: { type: 'memory.held', at: 5, run: 'memory/4', reason: 'the Project is paused' },
    },
  ])
})

test('each step begins with another Repository, so that none is always the last', async () => {
  const first: string[] = []
  for (const run of ['memory/1', 'memory/2', 'memory/3']) {
    const order: string[] = []
    const handler = handlerWith({
      intake: async ({ repository }) => {
        order.push(repository)
        return whole
      },
    })
    await handler.perform({ ...asked, run }, contextOf())
    expect(order.toSorted()).toEqual(['app', 'lib'])
    first.push(order[0]!)
  }
  expect(first).toEqual(['app', 'lib', 'app'])
})

test('what a long step cannot begin is due in the next one', async () => {
  const clock = simulatedClock(0)
  const handler = handlerWith({
    clock,
    intake: async () => {
      await clock.advance(26 * 60_000)
      return whole
    },
  })
  expect((await handler.perform({ ...asked, run: 'memory/3' }, contextOf()))[0]?.event['repositories']).toEqual({
    app: whole,
    lib: { commit: 'c1', due: 1, trouble: '' },
  })
})

test('two Projects are filled beside each other, and no Project twice', () => {
  const { target, concurrency } = handlerWith({})
  expect(target).toMatchObject({ concurrency: 1 })
  expect(concurrency).toBeGreaterThan(1)
  expect(target!.of(asked)).not.toBe(target!.of({ ...asked, project: 'default/other' }))
})

test('who stops the orchestrator ends the step, which is no trouble of a Repository', async () => {
  const stopping = new AbortController()
  const handler = handlerWith({
    intake: async (_source, signal) => {
      stopping.abort(new Error('stopping'))
      signal.throwIfAborted()
      return whole
    },
  })
  await expect(handler.perform(asked, contextOf(stopping.signal))).rejects.toThrow('stopping')
})

test('a Project that is gone is given up', async () => {
  const handler = handlerWith({ directory: { project: async () => undefined } })
  await expect(handler.perform(asked, contextOf())).rejects.toThrow('there is no Project default/demo')
})
