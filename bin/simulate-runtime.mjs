#!/usr/bin/env node
// `npm run simulate:runtime -- --seeds N --from S [--bugs] [--json]`: so many schedules of the runtime alone: several processes,
// a store that fails, clocks that jump; a seed that breaks a law is told as a story.
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'runtime', 'simulation', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
