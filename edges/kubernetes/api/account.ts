/** How a program outside of a cluster acts as one of its ServiceAccounts: by a token, and a kubeconfig that has it. */
import { KubeConfig } from '@kubernetes/client-node'
import { pathOf } from './api.ts'
import { loadKubeConfig } from './credentials.ts'

interface Account {
  readonly namespace: string
  readonly name: string
}

const accounts = { apiVersion: 'v1', plural: 'serviceaccounts' }

/**
 * A token that is good for so many seconds; the server may give it a longer life. `post`: sends a body as somebody who may
 * create tokens, and resolves with the server's answer.
 */
export async function accountToken(
  post: (path: string, body: object) => Promise<object>,
  account: Account,
  seconds: number,
): Promise<string> {
  const spec = { expirationSeconds: seconds }
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
  const { status } = (await post(`${pathOf(accounts, account)}/token`, body)) as {
    readonly status: { readonly token: string }
  }
  return status.token
}

/**
 * A kubeconfig for the cluster that is current in another one, with nothing of that one's user. Its context has the
 * account's namespace. @throws where the other one cannot be read.
 */
export function accountKubeconfig(
  kubeconfig: string,
  { namespace, name }: Account,
  user: { readonly token: string } | { readonly tokenFile: string },
): string {
  const cluster = loadKubeConfig(kubeconfig).getCurrentCluster()!
  const config = new KubeConfig()
  const context = { name, cluster: cluster.name, user: name, namespace }
  config.loadFromOptions({ clusters: [cluster], users: [], contexts: [context], currentContext: name })
  const written = JSON.parse(config.exportConfig()) as object
  return JSON.stringify({ ...written, users: [{ name, user }] })
}
