/** What a pod runs is the release, bundled and with its code compiled once: so is what is measured. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

export interface Release {
  /** The wrapper's command. */
  readonly program: readonly string[]
  remove(): void
}

export function buildRelease(): Release {
  const dir = mkdtempSync(join(tmpdir(), 'release-'))
  execFileSync(process.execPath, [join(root, 'bin', 'build.mjs'), join(dir, 'dist')], { stdio: 'ignore' })
  for (const path of ['bin/statewright.mjs', 'bin/hand-over.mjs', 'package.json'])
    cpSync(join(root, path), join(dir, path))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  const program = [process.execPath, join(dir, 'bin', 'statewright.mjs'), 'wrapper']
  // Without settings it loads all of itself and ends: as in the image, that leaves the compiled code.
  spawnSync(program[0]!, program.slice(1), { env: {}, stdio: 'ignore' })
  return { program, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
