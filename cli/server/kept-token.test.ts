import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UnsecuredJWT } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import type { TokenSource } from '../../http/token-source.ts'
import { keptToken } from './kept-token.ts'

test('a token serves the next commands of its own client, until shortly before it ends', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kept-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  let asked = 0
  let now = 1_000_000
  const source: TokenSource = {
    token: async () => new UnsecuredJWT({ count: (asked += 1) }).setExpirationTime(now / 1000 + 600).encode(),
    forget: () => undefined,
  }
  const command = (...client: string[]): TokenSource => keptToken(dir, client, { source, clock: { now: () => now } })
  const first = await command('cli', 's').token()
  expect(await command('cli', 's').token()).toBe(first)
  expect(statSync(join(dir, 'cli-token.json')).mode & 0o777).toBe(0o600)
  expect(asked).toBe(1)
  expect(await command('cli', 'the secret of another start').token()).not.toBe(first)
  now += 541_000
  await command('cli', 's').token()
  expect(asked).toBe(3)
  command('cli', 's').forget()
  await command('cli', 's').token()
  writeFileSync(join(dir, 'cli-token.json'), 'no JSON')
  await command('cli', 's').token()
  expect(asked).toBe(5)
})
