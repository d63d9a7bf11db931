import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { secretReaderContract } from '../ports/contract/resources-contract.ts'
import { localSecrets } from './secrets.ts'
import { withFolder } from './testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

const it = testInside(withFolder)

it('a secret is a file that only its owner reads, in a folder that only its owner enters (SECRET-2, SECURITY-RULE-2)', async (root) => {
  const dir = join(root, 'secrets')
  const secrets = localSecrets(dir)
  await secrets.write('default', 'demo-scm', { token: 't', webhookSecret: 'w' })
  expect(await secrets.read('default', 'demo-scm')).toEqual({ token: 't', webhookSecret: 'w' })
  expect(readdirSync(dir)).toEqual(['default.demo-scm.json'])
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(statSync(join(dir, 'default.demo-scm.json')).mode & 0o777).toBe(0o600)
})

it('a secret is read at every use: what was written last is what is told (SECURITY-RULE-2)', async (root) => {
  const reader = localSecrets(root)
  await localSecrets(root).write('default', 'demo-scm', { token: 'old', other: 'x' })
  expect(await reader.read('default', 'demo-scm')).toEqual({ token: 'old', other: 'x' })
  await localSecrets(root).write('default', 'demo-scm', { token: 'new' })
  expect(await reader.read('default', 'demo-scm')).toEqual({ token: 'new' })
  expect(await reader.read('other', 'demo-scm')).toBeUndefined()
})

it('a name that could leave the folder is refused, and reads as nothing', async (root) => {
  const secrets = localSecrets(join(root, 'secrets'))
  for (const name of ['../keys', 'a/b', 'a.b', '', 'A', '-a', 'a'.repeat(64)]) {
    await expect(secrets.write('default', name, {})).rejects.toThrow('lower case letters, digits and dashes')
    await expect(secrets.write(name, 'demo', {})).rejects.toThrow('lower case letters, digits and dashes')
    expect(await secrets.read('default', name)).toBeUndefined()
  }
  expect(readdirSync(root).flatMap((name) => readdirSync(join(root, name)))).toEqual([])
})

it('a file that is no secret reads as none', async (root) => {
  for (const text of ['', 'nonsense', '{"token": 1}', '[]']) {
    writeFileSync(join(root, 'default.demo-scm.json'), text)
    expect(await localSecrets(root).read('default', 'demo-scm')).toBeUndefined()
  }
})

secretReaderContract('one machine', (use) =>
  withFolder(async (root) => {
    const secrets = localSecrets(join(root, 'secrets'))
    await use({ secrets, write: secrets.write })
  }),
)
