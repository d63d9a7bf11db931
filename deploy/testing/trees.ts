/** The trees of all images: those that `npm run test:chart` wrote for its files together, or ones of this test. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @returns a folder, in which each program has one of its name. It is not below /tmp, which a pod's own volume covers. */
export function imageTrees(): string {
  const given = process.env['TREES_UNDER_TEST']
  if (given !== undefined) return given
  const dir = mkdtempSync('/var/tmp/trees-')
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  chmodSync(dir, 0o755)
  const trees = join(dir, 'trees')
  execFileSync(process.execPath, [join(root, 'bin/image-tree.mjs'), 'all', trees])
  return trees
}
