import { expect, test } from 'vitest'
import type { MirroredIssue } from '../../edges/ports/threads.ts'
import type { ActorView, PendingEffect } from '../../runtime/runtime.ts'
import { knownIncidents } from './alerting.ts'

interface World {
  readonly task?: ActorView['status']
  readonly waits?: boolean
  readonly issue?: 'open' | 'closed' | 'forgotten'
  readonly filing?: PendingEffect['state']
}

const place = { repository: 'lib', number: 4 }

/** The state of the one incident, as the world has it. */
async function stateIn({ task, waits = false, issue, filing }: World): Promise<string | undefined> {
  const incident = { fingerprint: 'f', task: 'default/t', firings: 1, ...(issue && { issue: place }) }
  const entries = waits ? [{ task: 'default/t', sort: 'mint' }] : []
  const queue = { incidents: [incident, { ...incident, fingerprint: 'other' }], entries }
  const actors: Readonly<Record<string, object | undefined>> = {
    'queue:default/demo': { context: queue },
    'task:default/t': task && { status: task },
  }
  const pending = filing === undefined ? [] : [{ effect: { type: 'fileIssue', params: {} }, state: filing }]
  const deps = {
    runtime: {
      read: async (address: string) => actors[address] as never,
      pendingEffects: async () => pending as unknown as PendingEffect[],
    },
    threads: {
      issue: async () => (issue === 'forgotten' ? undefined : ({ state: issue } as MirroredIssue)),
    },
  }
  const found = await knownIncidents(deps, 'default/demo', new Set(['f', 'unknown']))
  expect([...found.keys()]).toEqual(['f'])
  return found.get('f')?.state
}

test.each<[string, World, string]>([
  ['it waits for a slot', { waits: true }, 'open'],
  ['its Task has not ended', { task: 'active' }, 'open'],
  ['its Task waits for code that can load it', { task: 'quarantined' }, 'open'],
  ['its Task ended and filed an issue that is open', { task: 'done', issue: 'open' }, 'ended'],
  ['its Task was swept away and the issue is open', { issue: 'open' }, 'ended'],
  ['the issue is on its way', { task: 'done', filing: 'pending' }, 'ended'],
  ['the issue cannot be filed', { task: 'done', filing: 'dead' }, 'over'],
  ['the issue is closed', { task: 'done', issue: 'closed' }, 'over'],
  ['the issue is gone from the forge', { task: 'done', issue: 'forgotten' }, 'over'],
  ['its Task ended without an issue', { task: 'done' }, 'over'],
])('an incident where %s (ALERTS-6)', async (_where, world, state) => {
  expect(await stateIn(world)).toBe(state)
})
