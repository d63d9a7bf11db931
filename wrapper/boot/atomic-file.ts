import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readers see the old file or the new one, never half of it. A link that lies in the way is replaced, not followed. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true })
  const staging = `${path}.new`
  rmSync(staging, { recursive: true, force: true })
  writeFileSync(staging, text, { mode, flag: 'wx' })
  chmodSync(staging, mode)
  renameSync(staging, path)
}
