import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { setup } from 'xstate'

const { rowTable } = (await import(new URL('./row-table.mjs', import.meta.url).href)) as {
  rowTable(machine: unknown, folder: string): string
}
const { written } = (await import(new URL('./row-places.mjs', import.meta.url).href)) as { readonly written: symbol }

function at(line: number, guard?: string): object {
  return { [written]: { file: 'machines/door/hinges.ts', line, guard } }
}

const pushed = { target: 'ajar', ...at(3, "when((context, event) => !context.locked || event.by === 'owner')") }
const door = setup({ delays: { patience: 1000 } }).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { on: { 'door.pushed': [pushed, at(4)] } },
    held: { on: { 'door.pushed': [pushed, at(4)] } },
    stuck: { on: { 'door.pushed': pushed }, always: { target: 'shut', ...at(9) } },
    ajar: { after: { patience: { target: 'shut', ...at(7) } } },
  },
})

test('each row is a line with its event, states, guard, target and place; states with the same rows share lines', () => {
  expect(rowTable(door, 'machines/door').trimEnd().split('\n').slice(-5)).toEqual([
    "| door.pushed | `shut`, `held` | `!context.locked \\|\\| event.by === 'owner'` | `ajar` | `hinges.ts:3` |",
    '| door.pushed | `shut`, `held` |  |  | `hinges.ts:4` |',
    "| door.pushed | `stuck` | `!context.locked \\|\\| event.by === 'owner'` | `ajar` | `hinges.ts:3` |",
    '| after patience | `ajar` |  | `shut` | `hinges.ts:7` |',
    '| at once | `stuck` |  | `shut` | `hinges.ts:9` |',
  ])
})

test('the rows of the Task name lines on which a row is written', () => {
  const places = [...readFileSync('machines/task/README.md', 'utf8').matchAll(/`([\w/-]+\.ts):(\d+)` \|$/gm)]
  expect(places.length).toBeGreaterThan(100)
  for (const [, file, line] of places)
    expect(readFileSync(`machines/task/${file}`, 'utf8').split('\n')[Number(line) - 1], `${file}:${line}`).toContain(
      '{',
    )
})
