#!/usr/bin/env node
// `npm run prove`: explores the running tables and checks the laws in every state that it meets (--help says how far).
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'prove', 'main.ts')

await onNode24(import.meta.url, (parameters) => run(process.execPath, [program, ...parameters]))
