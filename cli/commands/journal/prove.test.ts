import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { journalsOf } from '../../../property-tests/prove/journals.ts'
import { bundleFormat, type ActorBundle } from '../../../runtime/journal/bundle/schema.ts'
import { prove } from './prove.ts'

let dir: string
let said: string[]
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prove-'))
  said = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(dir, { recursive: true })
})

async function write(name: string, actors: readonly ActorBundle[]): Promise<string> {
  const file = join(dir, name)
  await writeFile(file, JSON.stringify({ format: bundleFormat, program: 'test', exportedAt: 0, actors }))
  return file
}

it('lists nothing for Tasks that would end as they did, from files and from a folder of them', async () => {
  const [first, second] = [journalsOf(1, 'made-elsewhere'), journalsOf(2, 'made-elsewhere')]
  const files = [await write('a.json', first), await write('b.json', second)]
  const sum = `${first.length + second.length} journals, ${[...first, ...second].flatMap(({ events }) => events).length} events: 0 would have ended otherwise`
  expect(await prove(['--against', ...files])).toBe(0)
  expect(await prove(['--against', dir])).toBe(0)
  expect(said).toEqual([sum, sum])
})

it('names a Task that would end otherwise, and the first event that leads there', async () => {
  const [journal] = journalsOf(1, 'made-elsewhere')
  const events = journal!.events.map((event, index, all) =>
    index === all.length - 1 ? { ...event, path: 'x' } : event,
  )
  const file = await write('a.json', [{ ...journal!, events, path: 'x' }])
  expect(await prove(['--against', file])).toBe(1)
  expect(said[0]).toMatch(new RegExp(`^${journal!.address}: ended x, would end .+\n  from event ${events.length}, `))
})

it('refuses to be called without a log, and a kind that no machine has', async () => {
  await expect(prove([])).rejects.toThrow('prove takes --against LOG, or --all')
  await expect(prove(['--against', dir, '--kind', 'other'])).rejects.toThrow('there is no machine other')
})
