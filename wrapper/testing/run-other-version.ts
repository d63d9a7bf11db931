/** The wrapper of a release with another contract version: its sources, with another number in the one file that has it. */
import { registerHooks } from 'node:module'

const file = '/machines/turn/contract-version.ts'

registerHooks({
  load: (url, context, next) =>
    url.endsWith(file)
      ? { format: 'module', shortCircuit: true, source: 'export const contractVersion = 5\n' }
      : next(url, context),
})

await import('./run-wrapper.ts')
