/** Settings of a memory service in a folder of its own, which goes with the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readMemorySettings, type MemorySettings } from '../settings.ts'

export function settingsWith(env: Readonly<Record<string, string>> = {}): MemorySettings {
  const dir = mkdtempSync(join(tmpdir(), 'memory-start-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const identity = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'urn:memory' }
  return readMemorySettings({ HTTP_ADDR: '127.0.0.1:0', STATE_DIR: dir, ...identity, ...env })
}
