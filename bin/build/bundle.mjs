import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { ownFiles } from './own-files.mjs'

/** What no source names, because data does: the default scenario says which repository it plays on. */
const namedByData = ['standins/scenarios/repository']

/**
 * Writes the program below `outDir`: `statewright.mjs` with its commands as chunks that load when they are called; beside it
 * the manifest of the agents' tools.
 *
 * What `dependencies` lists stays with npm, native code and WebAssembly among it. The rest is bundled, so that an
 * install without development packages has the stand-ins of one machine as well.
 * @returns the chunks as rolldown describes them.
 */
export async function bundle({ root, outDir }) {
  await rm(outDir, { recursive: true, force: true })
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const installed = Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))
  const output = { dir: outDir, format: 'esm', chunkFileNames: '[name]-[hash].mjs', entryFileNames: '[name].mjs' }
  const { output: built } = await build({
    cwd: root,
    platform: 'node',
    onLog: failOnWarning,
    // A slow machine is no fault of the bundle.
    checks: { bundlerTimings: false },
    input: { statewright: join(root, 'cli', 'main.ts') },
    external: installed,
    plugins: [ownFiles({ root, outDir })],
    output,
  })
  for (const path of namedByData) await cp(join(root, path), join(outDir, path), { recursive: true })
  await cp(join(root, 'docs', 'tool-manifest.json'), join(outDir, 'tool-manifest.json'))
  return built.filter(({ type }) => type === 'chunk')
}

/** An import that nothing answers would only fail in the user's hands. */
function failOnWarning(level, log) {
  if (level === 'warn' && !log.id?.includes('/node_modules/')) throw new Error(`${log.code}: ${log.message}`)
}
