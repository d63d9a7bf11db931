import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runWrapper } from './supervisor.ts'
import type { WrapperInput } from './wrapper-input.ts'
import { rememberingLogger } from './testing/quiet-log.ts'

test('a secret file is gone once the wrapper read it, also when the boot ends there (SECURITY-RULE-1)', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'secrets-'))
  const [key, token] = ['key', 'token'].map((name) => join(dir, name)) as [string, string]
  for (const path of [key, token]) writeFileSync(path, 'hidden-text')
  const { logger, lines } = rememberingLogger()
  const env = { MODEL_PROVIDER_API_KEY_FILE: key, PLATFORM_POD_TOKEN_FILE: token }
  try {
    expect(await runWrapper({ env, logger } as unknown as WrapperInput)).toBe(1)
    expect([existsSync(key), existsSync(token)]).toEqual([false, false])
    expect(lines.join('')).not.toContain('hidden-text')
  } finally {
    rmSync(dir, { recursive: true })
  }
})
