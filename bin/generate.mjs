// The generated files that are checked in. `npm run check` writes each afresh into an empty folder and compares.
//
// A generator is `{name, files, run(outDir)}`: `files` are the paths (folders end in `/`) that it owns, from the root;
// `run` writes them below `outDir` under the same paths. It imports its sources when it runs: an older Node reads this
// file too, and hands over (`npm run generate` calls it, and writes all of them).
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chart } from './generators/chart.mjs'
import { crds } from './generators/crds.mjs'
import { gaps } from './generators/gaps.mjs'
import { inspectorCharts, inspectorPage } from './generators/inspector.mjs'
import { laws } from './generators/laws.mjs'
import { machineHashes } from './generators/machine-hashes.mjs'
import { machineReadmes } from './generators/machine-readmes.mjs'
import { reference } from './generators/reference.mjs'
import { settings } from './generators/settings.mjs'
import { stateReasons } from './generators/state-reasons.mjs'
import { suites } from './generators/suites.mjs'
import { toolManifestFile } from './generators/tool-manifest.mjs'
import { weight } from './generators/weight.mjs'
import { onNode24, root } from './on-node-24.mjs'

/** @type {readonly {name: string, files: readonly string[], run(outDir: string): Promise<void>}[]} */
export const generators = [
  crds,
  chart,
  machineHashes,
  machineReadmes,
  stateReasons,
  inspectorCharts,
  inspectorPage,
  reference,
  laws,
  toolManifestFile,
  settings,
  gaps,
  suites,
  // The last one, for it counts what the others write.
  weight,
]

const usage = `usage: npm run generate

Writes every generated file again. It takes no options. npm run check reports files that differ.`

/** A folder that a generator owns is emptied before: what it no longer writes goes. */
async function main() {
  for (const { name, files, run } of generators) {
    for (const path of files.filter((each) => each.endsWith('/')))
      await rm(join(root, path), { recursive: true, force: true })
    await run(root)
    console.log(`${name}: ${files.join(' ')}`)
  }
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await onNode24(import.meta.url, main, usage)
