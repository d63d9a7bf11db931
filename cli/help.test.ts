import { afterEach, expect, test, vi } from 'vitest'
import { said } from './commands/testing.ts'
import { main } from './main.ts'

const { out: overview } = await said(() => main(['--help']))
const names = [...overview.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)

afterEach(() => vi.restoreAllMocks())

test('statewright --help names every command', () => {
  expect(names).toEqual(expect.arrayContaining(['up', 'demo', 'orchestrator', 'memory', 'wrapper']))
})

test.each(names)('statewright %s --help prints a usage and runs nothing', async (name) => {
  // `wrapper` ends its process itself.
  vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const { out } = await said(() => main([name, '--help']))
  expect(out).toMatch(new RegExp(`^usage: statewright ${name}( |\\n)`))
})
