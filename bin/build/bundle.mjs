import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { ownFiles } from './own-files.mjs'

/** What no source names, because data does: the default scenario says which repository it plays on. */
const namedByData = ['cli/standins/scenarios/repository']

/**
 * Writes the programs below `outDir`: `statewright.mjs` with its commands as chunks that load when they are called, and
 * `mcp.mjs`, the server of a pod's tools, with everything that it needs; beside them the manifest of those tools.
 *
 * What `dependencies` lists stays with npm, native code and WebAssembly among it. The rest is bundled, so that an
 * install without development packages has the stand-ins of one machine as well.
 */
export async function bundle({ root, outDir }) {
  await rm(outDir, { recursive: true, force: true })
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const installed = Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))
  const output = { dir: outDir, format: 'esm', chunkFileNames: '[name]-[hash].mjs', entryFileNames: '[name].mjs' }
  const common = { cwd: root, platform: 'node', onLog: failOnWarning }
  await build({
    ...common,
    input: { statewright: join(root, 'cli', 'main.ts') },
    external: installed,
    plugins: [ownFiles({ root, outDir })],
    output,
  })
  await build({
    ...common,
    input: { mcp: join(root, 'bin', 'build', 'mcp-entry.mjs') },
    plugins: [ownFiles({ root, outDir })],
    output: { ...output, codeSplitting: false },
  })
  for (const path of namedByData) await cp(join(root, path), join(outDir, path), { recursive: true })
  await cp(join(root, 'docs', 'tool-manifest.json'), join(outDir, 'tool-manifest.json'))
  await warmCompileCache(outDir)
}

/** An import that nothing answers would only fail in the user's hands. */
function failOnWarning(level, log) {
  if (level === 'warn' && !log.id?.includes('/node_modules/')) throw new Error(`${log.code}: ${log.message}`)
}

/**
 * Pods have the program read-only, so what compiling `mcp.mjs` gives is kept here and shipped (bin/statewright.mjs reads it).
 * Node keeps it per user id, readable by that one alone: root of a pod's namespace finds what root built.
 */
async function warmCompileCache(outDir) {
  const cache = join(outDir, 'compile-cache')
  const program = `
    import module from 'node:module'
    module.enableCompileCache({ directory: ${JSON.stringify(cache)}, portable: true })
    await (await import(${JSON.stringify(join(outDir, 'mcp.mjs'))})).main()`
  const parameters = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  child.stdin.end()
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`mcp.mjs ended with ${code} when started once`)
  for (const entry of await readdir(cache, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o644)
}
