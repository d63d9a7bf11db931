/** Where the API server is and who asks, as a kubeconfig or the service account of a pod has it. */
import { KubeConfig, loadYaml } from '@kubernetes/client-node'
import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { dirname, resolve } from 'node:path'

/** How one request proves who asks, and whom it believes. */
export interface Credentials {
  /** The base of every path, without a slash at its end. */
  readonly server: string
  readonly headers: Readonly<Record<string, string>>
  /** For the dispatcher: a change of these needs other sockets. */
  readonly tls: Readonly<Record<string, unknown>>
  readonly proxy: string | undefined
  /** What no message may show. */
  readonly secrets: readonly string[]
}

/**
 * `path`: of a kubeconfig; absent: this is a pod.
 * @throws where the file cannot be read or has no current cluster, or, without a path, outside a pod.
 */
export function loadKubeConfig(path: string | undefined): KubeConfig {
  const config = new KubeConfig()
  if (path === undefined) config.loadFromCluster()
  else {
    config.loadFromFile(path)
    nameTokenFiles(config, path)
  }
  const cluster = config.getCurrentCluster()
  if (cluster === null) throw new Error(`the kubeconfig ${path} has no current cluster`)
  if (!URL.canParse(cluster.server))
    // Outside a pod KUBERNETES_SERVICE_HOST and _PORT are not set.
    throw new Error(path === undefined ? 'this is no pod of a cluster: give a kubeconfig' : `${path} names no server`)
  return config
}

interface WrittenUsers {
  readonly users?: readonly { readonly name: string; readonly user?: { readonly tokenFile?: string } }[]
}

/** The package reads `token-file`, and once; a kubeconfig's key is `tokenFile`, and such a token rotates. */
function nameTokenFiles(config: KubeConfig, path: string): void {
  const { users = [] } = loadYaml<WrittenUsers>(readFileSync(path, 'utf8'))
  for (const { name, user } of users) {
    const written = config.getUser(name)
    if (user?.tokenFile === undefined || written === null) continue
    const tokenFile = resolve(dirname(path), user.tokenFile)
    Object.assign(written, { authProvider: { name: 'tokenFile', config: { tokenFile } } })
  }
}

/** Where its credentials belong: the pod's namespace, or that of the kubeconfig's context. @throws as above. */
export function namespaceOf(path: string | undefined): string {
  const config = loadKubeConfig(path)
  return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'
}

/** As of this moment: files are read, a plugin may run. @throws where one of them fails. */
export async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const cluster = config.getCurrentCluster()!
  const options: RequestOptions & { readonly servername?: string } = {}
  await config.applyToHTTPSOptions(options)
  const headers = { ...(options.headers as Readonly<Record<string, string>> | undefined) }
  const { auth } = options
  if (typeof auth === 'string') headers['Authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`
  const token = rotatingToken(config)
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`
  const { ca, cert, key, servername, rejectUnauthorized } = options
  return {
    server: cluster.server.replace(/\/+$/, ''),
    headers,
    tls: { ca, cert, key, servername, rejectUnauthorized },
    proxy: cluster.proxyUrl,
    secrets: secretsIn(headers['Authorization'], auth),
  }
}

/** The package reads it once a minute, and a token that was revoked meanwhile would be refused until then. */
function rotatingToken(config: KubeConfig): string | undefined {
  const provider = config.getCurrentUser()?.authProvider as { config?: { tokenFile?: string } } | null | undefined
  const file = provider?.config?.tokenFile
  return file === undefined ? undefined : readFileSync(file, 'utf8').trim()
}

function secretsIn(authorization: string | undefined, auth: string | null | undefined): readonly string[] {
  const sent = authorization?.replace(/^\w+ /, '')
  const password = auth?.slice(auth.indexOf(':') + 1)
  return [sent, password].filter((text) => text !== undefined)
}
