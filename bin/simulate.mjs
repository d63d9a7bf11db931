#!/usr/bin/env node
// `npm run simulate -- --seeds N --from S [--json]`: so many lives of the whole system under faults drawn from a seed, each
// judged by the laws; a seed that breaks one is told as a story, with the command that lives it again.
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'simulation', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
