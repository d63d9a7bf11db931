import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** By what they import (`npm run generate`): testing/suites.ts. */
const { pure, store, wire } = JSON.parse(
  readFileSync(new URL('testing/suites.json', import.meta.url), 'utf8'),
) as Readonly<Record<'pure' | 'store' | 'wire', readonly string[]>>

/** One whole life, from the webhook to the merge, one law with what breaks it, and whether planted bugs still apply: `npm test` runs them too. */
const samples = [
  'property-tests/simulation/one-life.test.ts',
  'property-tests/machines/one-law.test.ts',
  'property-tests/plant.test.ts',
]

const exclude = ['node_modules/**', 'dist/**', 'bench/node_modules/**', 'testing/protocol/node_modules/**']
const system = ['**/*.system.test.ts']
const laws = ['property-tests/**/*.test.ts']

interface Project {
  readonly name: string
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Of each file from the others: its own process. */
  readonly isolate?: boolean
}

const projects: readonly Project[] = [
  { name: 'pure', include: pure, isolate: false },
  { name: 'store', include: store, isolate: false },
  { name: 'wire', include: wire, isolate: false },
  { name: 'alone', include: ['**/*.test.ts'], exclude: [...system, ...laws, ...pure, ...store, ...wire] },
  { name: 'samples', include: samples },
  { name: 'system', include: system },
  { name: 'laws', include: laws, exclude: [...system, ...samples] },
]

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    projects: projects.map(({ name, include, exclude: others = [], isolate = true }) => ({
      extends: true as const,
      test: {
        name,
        include: [...include],
        exclude: [...exclude, ...others],
        isolate,
        setupFiles: ['testing/processor-time.ts', ...(isolate ? [] : ['testing/left-behind.ts'])],
      },
    })),
  },
})
