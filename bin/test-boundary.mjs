#!/usr/bin/env node
// `npm run test:boundary`: attacks on the boundary, each with a control that succeeds where the wall is down (--help).
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'boundary', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
