import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readers see the old file or the new one, never half of it. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true })
  const staging = `${path}.new`
  writeFileSync(staging, text, { mode })
  chmodSync(staging, mode)
  renameSync(staging, path)
}
