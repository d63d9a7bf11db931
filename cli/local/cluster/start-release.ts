/** The orchestrator of a demo as a chart's user gets it: Secrets, `helm install`, and one port of this machine that leads to it. */
import type { Opened } from '../../../runtime/closing.ts'
import type { Cluster } from './cluster.ts'
import { kubeletRoot } from './demo-kubelet.ts'
import { openForward } from './forward.ts'
import type { ReleaseImages } from './images.ts'
import type { loadLocalSecrets } from '../local-secrets.ts'
import type { ModelChoice } from '../model-choice.ts'
import type { Ports } from '../processes/ports.ts'
import { installRelease, type Release } from './release.ts'

interface InstallOptions {
  readonly dir: string
  readonly ports: Ports
  readonly cluster: Cluster
  readonly images: ReleaseImages
  readonly secrets: ReturnType<typeof loadLocalSecrets>
  readonly databaseUrl: string
  readonly issuer: string
  readonly audiences: { readonly operator: string; readonly wrapper: string }
  readonly model: ModelChoice
  /** Of the scripted one. */
  readonly modelUrl: string | undefined
  readonly walls: string
  readonly onLine: (line: Record<string, unknown>) => void
  readonly opened: Opened
}

interface Installed {
  readonly release: Release
  /** The line in which the first orchestrator says so. */
  readonly ready: Promise<Record<string, unknown>>
  stop(): Promise<readonly string[]>
}

const listen = '127.0.0.1'
const ports = { outside: 8080, inside: 8082 }

export async function startRelease(options: InstallOptions): Promise<Installed> {
  const { dir, cluster, opened } = options
  const { client, kubeconfig, namespace } = cluster
  const isReady = Promise.withResolvers<Record<string, unknown>>()
  const forwards = await Promise.all(
    [
      { port: options.ports.http, podPort: ports.outside },
      { port: options.ports.internal, podPort: ports.inside },
    ].map((each) => openForward({ client, namespace, listen, ...each })),
  )
  const closeForwards = async (): Promise<void> => void (await Promise.all(forwards.map((each) => each.close())))
  opened(closeForwards)
  await cluster.apply(secretsOf(options))
  const release = await installRelease({
    dir,
    client,
    kubeconfig,
    namespace,
    kubeletRoot: kubeletRoot(dir),
    values: valuesOf(options),
    onLine: (line) => {
      if (line['msg'] === 'ready') isReady.resolve(line)
      options.onLine(line)
    },
  })
  const uninstall = async (): Promise<readonly string[]> => {
    const left = await release.uninstall()
    return left.length === 0 ? [] : [`helm uninstall left ${left.join(', ')}`]
  }
  opened(async () => void (await uninstall()))
  return {
    release,
    ready: isReady.promise,
    async stop() {
      const left = await uninstall()
      await closeForwards()
      return left
    },
  }
}

function secretsOf({ databaseUrl, secrets, model }: InstallOptions): readonly object[] {
  const secret = (name: string, key: string, value: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { [key]: value },
  })
  return [
    secret('database', 'url', databaseUrl),
    secret('oidc', 'client-secret', secrets.operator),
    secret('model', 'api-key', model.provider === 'scripted' ? secrets.model : model.key),
  ]
}

function valuesOf({ ports: own, images, issuer, audiences, model, modelUrl, walls }: InstallOptions): object {
  return {
    database: { secretName: 'database' },
    oidc: {
      issuer,
      audience: audiences.operator,
      wrapperAudience: audiences.wrapper,
      clientId: 'orchestrator',
      secretName: 'oidc',
    },
    model: {
      secretName: 'model',
      ...(model.provider === 'anthropic' && model.oauth ? { credential: 'oauthToken' } : {}),
      ...(modelUrl === undefined ? {} : { baseUrl: modelUrl }),
    },
    // The forge is no pod: it has no name of the Service.
    urls: { public: `http://${listen}:${own.http}` },
    agentCli: images.agentCli,
    workspaces: true,
    settings: { AGENT_SECLUSION: walls },
  }
}
