#!/usr/bin/env node
// `npm run rooms`: which room of the tree imports which (--help).
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'testing', 'rooms', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
