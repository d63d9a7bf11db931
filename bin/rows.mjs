#!/usr/bin/env node
// `npm run rows`: which rows of the contract the tests of the last `npm test` hold (--help).
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'testing', 'rows', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
