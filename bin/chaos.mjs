#!/usr/bin/env node
// `npm run chaos -- --rounds N --seed S [--json]`: kills, pauses and cuts off real processes over a real Postgres under
// load, and proves from what they left that nothing was lost, doubled or reordered. Needs a PostgreSQL server installed.
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'runtime', 'chaos', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
