#!/usr/bin/env node
// `npm run prove`: explores the running tables and checks the laws in every state that it meets (--help says how far).
// A certificate is of this code: machines, laws and search. Where none of it has changed since, `--unless-certified` has
// nothing to search for.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'prove', 'main.ts')
const certified = join(root, 'property-tests', 'prove', 'certified.json')

async function main(parameters) {
  const rest = parameters.filter((each) => each !== '--unless-certified')
  const { hashOfCode } = await import('./generators/machine-hashes.mjs')
  const hash = () => hashOfCode(program, 'node')
  const isCertified = async () => JSON.parse(await readFile(certified, 'utf8')).code === (await hash())
  if (rest.length < parameters.length && (await isCertified())) {
    console.log(
      'certified: neither the machines nor the search has changed since (property-tests/prove/certified.json)',
    )
    return 0
  }
  const code = await run(process.execPath, [program, ...rest])
  if (code === 0 && rest.includes('--certify'))
    await writeFile(certified, `${JSON.stringify({ code: await hash() })}\n`)
  return code
}

await onNode24(import.meta.url, main)
