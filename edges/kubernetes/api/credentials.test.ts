import { KubeConfig } from '@kubernetes/client-node'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { credentialsOf, loadKubeConfig } from './credentials.ts'
import { kubeconfigOf } from '../testing/api-server.ts'
import { testInside } from '../../../testing/inside.ts'

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-credentials-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const account = 'var/run/secrets/kubernetes.io/serviceaccount'

const it = testInside(withFolder)

it('a pod asks as its service account; its token and its authority are read each time', async (folder) => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1')
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '443')
  await mkdir(join(folder, account), { recursive: true })
  const config = new KubeConfig()
  config.loadFromCluster(folder + '/')
  for (const round of ['first', 'second']) {
    await writeFile(join(folder, account, 'token'), `${round}-token`)
    await writeFile(join(folder, account, 'ca.crt'), round)
    const { server, headers, tls, secrets } = await credentialsOf(config)
    expect([server, headers, secrets]).toEqual([
      'https://10.0.0.1:443',
      { Authorization: `Bearer ${round}-token` },
      [`${round}-token`],
    ])
    expect(`${tls['ca']}`).toBe(round)
  }
  vi.unstubAllEnvs()
})

it('certificates in files are read each time, from beside the kubeconfig', async (folder) => {
  const path = join(folder, 'kubeconfig')
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' }
  const cluster = { 'tls-server-name': 'api.internal', 'proxy-url': 'http://proxy:3128' }
  await writeFile(path, kubeconfigOf('https://api:6443/clusters/c-1/', user, cluster))
  const config = loadKubeConfig(path)
  for (const round of ['first', 'second']) {
    for (const name of ['client.crt', 'client.key']) await writeFile(join(folder, name), `${round} ${name}`)
    const { server, tls, proxy } = await credentialsOf(config)
    expect([server, proxy, tls['servername']]).toEqual([
      'https://api:6443/clusters/c-1',
      'http://proxy:3128',
      'api.internal',
    ])
    expect([`${tls['cert']}`, `${tls['key']}`]).toEqual([`${round} client.crt`, `${round} client.key`])
  }
})

it('a password is sent as basic authentication, and both forms of it are secret', async (folder) => {
  const path = join(folder, 'kubeconfig')
  await writeFile(path, kubeconfigOf('https://api:6443', { username: 'me', password: 'a:secret' }))
  const { headers, secrets } = await credentialsOf(loadKubeConfig(path))
  const sent = Buffer.from('me:a:secret').toString('base64')
  expect([headers['Authorization'], secrets]).toEqual([`Basic ${sent}`, [sent, 'a:secret']])
})

it('a token file that is gone is thrown, so nobody asks without a name', async (folder) => {
  const path = join(folder, 'kubeconfig')
  await writeFile(path, kubeconfigOf('https://api:6443', { tokenFile: 'token' }))
  await expect(credentialsOf(loadKubeConfig(path))).rejects.toThrow('ENOENT')
})
