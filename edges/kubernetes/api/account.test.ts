import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accountKubeconfig, accountToken } from './account.ts'
import { credentialsOf, loadKubeConfig, namespaceOf } from './credentials.ts'

const account = { namespace: 'team', name: 'statewright' }

test('a token is asked for with the life that is wanted', async () => {
  const posted: unknown[] = []
  const post = async (path: string, body: object): Promise<object> => {
    posted.push([path, body])
    return { status: { token: 'a-token' } }
  }
  expect(await accountToken(post, account, 600)).toBe('a-token')
  expect(posted).toEqual([
    ['/api/v1/namespaces/team/serviceaccounts/statewright/token', expect.objectContaining({ kind: 'TokenRequest' })],
  ])
  expect(posted).toMatchObject([[{}, { spec: { expirationSeconds: 600 } }]])
})

test('its kubeconfig names the current cluster of several, an authority beside that file, and no other user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'account-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'admin')
  const cluster = { server: 'https://second:6443', 'certificate-authority': 'ca.crt', 'tls-server-name': 'api' }
  await writeFile(
    path,
    JSON.stringify({
      'current-context': 'second',
      clusters: [
        { name: 'first', cluster: { server: 'https://first:6443' } },
        { name: 'second', cluster },
      ],
      users: [{ name: 'admin', user: { token: 'of-the-admin' } }],
      contexts: [{ name: 'second', context: { cluster: 'second', user: 'admin', namespace: 'default' } }],
    }),
  )
  await writeFile(join(folder, 'ca.crt'), 'an authority')
  const own = join(folder, 'own')
  const written = accountKubeconfig(path, account, { token: 'a-token' })
  await writeFile(own, written)
  expect(written).not.toMatch(/of-the-admin|first/)
  expect(namespaceOf(own)).toBe('team')
  expect(await credentialsOf(loadKubeConfig(own))).toMatchObject({
    server: 'https://second:6443',
    headers: { Authorization: 'Bearer a-token' },
    tls: { ca: Buffer.from('an authority'), servername: 'api' },
  })
})
