// The suites of the tests, and where each leaves what its last whole run came to.
import { join } from 'node:path'
import { root } from './on-node-24.mjs'

/** Projects of vitest.config.ts by suite. */
export const suites = { test: ['pure', 'store', 'wire', 'alone', 'samples'], system: ['system'], laws: ['laws'] }

export const reportsFolder = join(root, 'node_modules', '.cache', 'statewright')

/** vitest's own report, as JSON. */
export function reportOf(suite) {
  return join(reportsFolder, `${suite}.json`)
}
