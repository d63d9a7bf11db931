import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Suite } from './attack.ts'
import { placeOf } from './places.ts'
import { withTheCli } from './scenes/with-the-cli.ts'
import { selected } from './selection.ts'
import { everySuite } from './suites.ts'

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

/** Whether a file of attacks takes a stage that opens a wrapper's walls. */
function wantsWalls(file: string): boolean {
  const stages = [...textOf(`classes/${file}`).matchAll(/^import \{ .*'\.\.(\/stages\/.*)'/gm)].map(([, path]) => path!)
  return stages.some((path) => !path.endsWith('/folders.ts') && textOf(path.slice(1)).includes('wallsOf('))
}

test('every attack on a wrapper’s walls runs in a pod of a cluster or inside one, and no other does', async () => {
  const expected = new Map<Suite, string>(withTheCli.map((suite) => [suite, 'pod']))
  for (const file of readdirSync(join(import.meta.dirname, 'classes'))) {
    const made = Object.values((await import(join(import.meta.dirname, 'classes', file))) as object)
    for (const suite of everySuite.filter((one) => made.includes(one)))
      expected.set(suite, wantsWalls(file) ? 'inside' : 'none')
  }
  expect(everySuite.map((suite) => [suite.class, placeOf(suite)])).toEqual(
    everySuite.map((suite) => [suite.class, expected.get(suite)]),
  )
  expect([...new Set(expected.values())].toSorted()).toEqual(['inside', 'none', 'pod'])
})

test('what is selected by class and by name keeps its place', () => {
  const selection = { classes: ['8 terminals'], only: 'screen', isShort: true, jobs: 1 }
  const suites = selected(everySuite, selection)
  expect(suites.map(placeOf).toSorted()).toEqual(['inside', 'pod'])
  expect(suites.flatMap(({ attacks }) => attacks.map(({ name }) => name.includes('screen')))).toEqual([
    true,
    true,
    true,
  ])
  expect(selected(everySuite, { classes: [], isShort: true, jobs: 1 })).toEqual(everySuite)
})

test('the pod of root gets the attacks whose walls are mount options, and no others', () => {
  const forRoot = selected(everySuite, { classes: [], isShort: true, jobs: 1, wantsRoot: true })
  const names = forRoot.flatMap(({ attacks }) => attacks.map(({ name }) => name))
  expect(names).toContain('a link that climbs')
  expect(names).toContain('a file tool writes a skill')
  expect(names).not.toContain('a setting of the kernel')
  expect(names).not.toContain('the wrapper’s state')
})
