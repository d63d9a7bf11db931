import { expect, test } from 'vitest'
import { setup } from 'xstate'

const { describeMachine } = (await import(new URL('./machine-readmes.mjs', import.meta.url).href)) as {
  describeMachine(definition: {
    readonly machine: unknown
    readonly version: number
    readonly createdBy: readonly string[]
  }): string
}

const door = setup({ delays: { patience: 1000 }, guards: { locked: () => true } }).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: {
      meta: { owner: 'people', reason: 'is shut', unblocks: 'a hand | a key' },
      on: { 'door.pushed': [{ guard: 'locked', target: 'shut' }, { target: 'ajar' }], 'door.looked-at': {} },
    },
    ajar: {
      initial: 'swinging',
      after: { patience: 'shut' },
      on: { 'door.left': '.still' },
      states: { swinging: { always: { guard: 'locked', target: 'still' } }, still: {} },
    },
    gone: { type: 'final', meta: { owner: 'none', reason: 'is gone', unblocks: '' } },
  },
})

const described = describeMachine({ machine: door, version: 3, createdBy: ['door.made'] })

test('the table has each state that says who can move it, with its words kept apart from the table’s', () => {
  expect(described).toContain('Version 3, brought into being by `door.made`.')
  expect(described).toContain('| `shut` | people | is shut | a hand \\| a key |')
  expect(described).toContain('| `gone` (final) | none | is gone |  |')
})

test('events, timers and guards label what leads where, and what moves nothing is not drawn', () => {
  expect(described).toContain('s_shut -->|"door.pushed [locked]"| s_shut')
  expect(described).toContain('s_shut -->|"door.pushed"| s_ajar_swinging')
  expect(described).toContain('s_ajar_any -->|"after patience"| s_shut')
  expect(described).toContain('s_ajar_swinging -->|"[locked]"| s_ajar_still')
  expect(described).not.toContain('door.looked-at')
})

test('a group’s own transition into itself starts at a node within: Mermaid draws no edge between a group and its content', () => {
  expect(described).toContain('s_ajar_any -->|"door.left"| s_ajar_still')
  const groups = [...described.matchAll(/subgraph (\S+)/g)].map(([, id]) => id)
  const ends = [...described.matchAll(/^ {2}(\S+) -->\|"[^"]*"\| (\S+)$/gm)].flatMap(([, from, to]) => [from, to])
  expect(ends.length).toBeGreaterThan(0)
  expect(ends.filter((id) => groups.includes(id))).toEqual([])
})
