import { expect, test } from 'vitest'
import { houseOfTexts } from './architecture/house.ts'
import { suitesOf } from './suites.ts'

const store = "import { PGlite } from '@electric-sql/pglite'\nexport const open = () => new PGlite()"

function suiteOf(path: string, texts: Readonly<Record<string, string>>): string {
  const found = Object.entries(suitesOf(houseOfTexts(texts).files)).find(([, paths]) => paths.includes(path))
  return found?.[0] ?? 'its own process'
}

test.each([
  ['opens nothing', 'pure', {}],
  ['opens a socket two files away', 'wire', { 'http/b.ts': "import './c.ts'", 'http/c.ts': "import 'node:net'" }],
  [
    'imports types of what opens a socket',
    'pure',
    { 'http/b.ts': "import type { C } from './c.ts'", 'http/c.ts': "import 'node:net'" },
  ],
  ['opens the store through another file', 'store', { 'http/b.ts': store }],
  ['loads what measures processor time', 'its own process', { 'http/b.ts': 'export const b = process.cpuUsage()' }],
])('a test file that %s runs in: %s', (_what, suite, others) => {
  expect(suiteOf('http/a.test.ts', { 'http/a.test.ts': "import './b.ts'", 'http/b.ts': '', ...others })).toBe(suite)
})

test.each([
  "process.env['A'] = 'b'",
  "process.env.A ??= 'b'",
  "delete process.env['A']",
  'run({ ...process.env })',
  "vi.stubEnv('A', 'b')",
  "process.chdir('/')",
])('a test file that changes its process, or may, shares it with no other: %s', (text) => {
  expect(suiteOf('http/a.test.ts', { 'http/a.test.ts': text })).toBe('its own process')
})

test.each(["run({ path: process.env['PATH'] ?? '' })", "process.env.A === 'b'", 'await vi.waitFor(() => undefined)'])(
  'a test file that only reads a variable or waits changes nothing: %s',
  (text) => {
    expect(suiteOf('http/a.test.ts', { 'http/a.test.ts': text })).toBe('pure')
  },
)

test('a name states what is no part of npm test', () => {
  const texts = { 'http/a.system.test.ts': '', 'property-tests/why/a.test.ts': '' }
  expect(suitesOf(houseOfTexts(texts).files)).toEqual({ pure: [], store: [], wire: [] })
})
