#!/usr/bin/env node
// `npm run prove`: explores the running tables and checks the laws in every state that it meets (--help says how far).
// A certificate is of this code: machines, laws and search. Where none of it has changed since, `--unless-certified` has
// nothing to search for.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'prove', 'main.ts')
const certified = join(root, 'property-tests', 'prove', 'certified.json')
const explored = join(root, 'machines', 'generated', 'certificates', 'explored.ts')

async function hash() {
  const { hashOfCode } = await import('./generators/machine-hashes.mjs')
  return hashOfCode(program, 'node')
}

async function main(parameters) {
  const rest = parameters.filter((each) => each !== '--unless-certified')
  if (rest.length < parameters.length) {
    if (rest.length > 0) {
      console.error(`--unless-certified is about the whole search: leave out ${rest.join(' ')}`)
      return 2
    }
    if (JSON.parse(await readFile(certified, 'utf8')).code === (await hash())) {
      console.log(
        'certified: neither the machines nor the search has changed since (property-tests/prove/certified.json)',
      )
      return 0
    }
  }
  if (!isWhole(rest)) return run(process.execPath, [program, ...rest])
  const before = await hash()
  const code = await run(process.execPath, [program, ...rest])
  if (code !== 0) return code
  if ((await readFile(explored, 'utf8')).includes('isComplete: false') || (await hash()) !== before) {
    console.error('not certified: the search was cut, or its code changed meanwhile')
    return 1
  }
  await writeFile(certified, `${JSON.stringify({ code: before })}\n`)
  return code
}

/** Of every world, as far as `npm run prove` goes: nothing but the time that a world may take is chosen. */
function isWhole(rest) {
  const others = rest.filter(
    (each, index) => each !== '--json' && each !== '--seconds' && rest[index - 1] !== '--seconds',
  )
  return others.length === 1 && others[0] === '--certify'
}

await onNode24(import.meta.url, main)
