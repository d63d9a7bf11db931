import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../on-node-24.mjs'

const path = 'machines/generated/hashes.ts'
/** 64 bits tell the versions of one machine apart; every journal row carries them. */
const hexDigits = 16

/**
 * Names the code of each machine: its table and every rule that it reaches, as one module without types, comments and
 * layout, with the version of XState, which takes the steps. Only what the machine uses counts: a schema of an event
 * or a sentence in a comment is not what it does.
 */
export const machineHashes = {
  name: 'bin/generators/machine-hashes.mjs',
  files: [path],
  async run(outDir) {
    const { allMachines } = await import('../../machines/registry.ts')
    const lines = []
    for (const { kind } of allMachines)
      lines.push(`  ${/^\w+$/.test(kind) ? kind : `'${kind}'`}: '${await hashOf(kind)}',`)
    const text = [
      '/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */',
      "import type { ActorKind } from '../definition.ts'",
      '',
      'export const sourceHashes: Readonly<Record<ActorKind, string>> = {',
      ...lines,
      '}',
      '',
    ]
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), text.join('\n'))
  },
}

/** @param {string} kind */
export async function hashOf(kind, base = root) {
  return hashOfCode(join(base, 'machines', kind, 'machine.ts'))
}

/** Of a module with every module of ours that it reaches. */
export async function hashOfCode(input, platform = 'neutral') {
  const xstate = JSON.parse(await readFile(join(root, 'node_modules', 'xstate', 'package.json'), 'utf8')).version
  const code = await codeOf(input, platform)
  return createHash('sha256').update(`xstate ${xstate}\n${code}`).digest('hex').slice(0, hexDigits)
}

async function codeOf(input, platform) {
  const { build } = await import('rolldown')
  const { output } = await build({
    cwd: root,
    input,
    external: [/^xstate/, /^typebox/],
    platform,
    write: false,
    output: { format: 'esm', minify: { compress: false, mangle: false, codegen: true } },
  })
  return output[0].code
}
