/** The release that Helm installs from `deploy/chart` in a demo's own cluster, with what its pods log. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { programDir } from '../../program.ts'
import { followLog, type LogFollower } from './follow-log.ts'
import { orchestratorPods } from './forward.ts'
import { runScript } from './servers.ts'

interface ReleaseOptions {
  readonly dir: string
  readonly client: KubeClient
  /** An administrator's. */
  readonly kubeconfig: string
  readonly namespace: string
  /** Where the kubelet puts the logs of containers. */
  readonly kubeletRoot: string
  readonly values: object
  /** Each JSON line of an orchestrator's log. */
  readonly onLine: (line: Record<string, unknown>) => void
}

export interface Upgrade {
  /** Pods of the orchestrator. */
  readonly before: string
  readonly after: string
  readonly durationMs: number
}

export interface Release {
  /** How often an orchestrator's pod followed another. */
  readonly restarts: number
  /** The same version with another annotation: one pod ends, the next one begins. */
  upgrade(): Promise<Upgrade>
  /** Resolves with what an uninstall left, as `<plural>/<name>`. */
  uninstall(): Promise<readonly string[]>
}

const name = 'statewright'
const chart = join(programDir, 'deploy', 'chart')
const waitSeconds = 180
const lookMs = 100

export async function installRelease(options: ReleaseOptions): Promise<Release> {
  const { dir, client, namespace, kubeconfig, values } = options
  const home = join(dir, 'helm')
  await mkdir(home, { recursive: true })
  const program = join(await runScript('helm.sh', ['find']), 'helm')
  const file = join(home, 'values.json')
  const helm = async (verb: string, more: readonly string[], given?: object): Promise<void> => {
    if (given !== undefined) await writeFile(file, JSON.stringify(given), { mode: 0o600 })
    const parameters = [verb, name, ...more, '--namespace', namespace, '--wait', '--timeout', `${waitSeconds}s`]
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, KUBECONFIG: kubeconfig }
    await promisify(execFile)(program, given === undefined ? parameters : [...parameters, '--values', file], {
      env,
      timeout: (waitSeconds + 60) * 1000,
    }).catch((error: unknown) => {
      const { stderr = '' } = error as { readonly stderr?: string }
      throw new Error(`helm ${verb}: ${stderr.trim() || String(error)}`, { cause: error })
    })
  }
  const logs = followPods(options)
  try {
    await helm('install', [chart], values)
  } catch (error) {
    await logs.close()
    throw error
  }
  const current = async (): Promise<string> => (await orchestratorPods(client, namespace))[0]?.name ?? ''
  let upgrades = 0
  return {
    get restarts() {
      return logs.seen() - 1
    },
    async upgrade() {
      const [before, startedAt] = [await current(), Date.now()]
      upgrades += 1
      await helm('upgrade', [chart], { ...values, podAnnotations: { 'statewright/upgrade': String(upgrades) } })
      return { before, after: await current(), durationMs: Date.now() - startedAt }
    },
    async uninstall() {
      await helm('uninstall', [])
      await logs.close()
      return leftOf(client, namespace)
    },
  }
}

/** What the chart brings and an uninstall must take: it keeps definitions and Secrets alone. */
async function leftOf(client: KubeClient, namespace: string): Promise<readonly string[]> {
  const resources = [
    { apiVersion: 'v1', plural: 'pods' },
    { apiVersion: 'v1', plural: 'services' },
    { apiVersion: 'apps/v1', plural: 'deployments' },
    { apiVersion: 'batch/v1', plural: 'jobs' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', plural: 'roles' },
    { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
  ]
  const lists = await Promise.all(
    resources.map(async (resource) => {
      const { items } = (await client.ask('GET', pathOf(resource, { namespace }))) as { items: readonly KubeObject[] }
      return items.map(({ metadata }) => `${resource.plural}/${metadata.name}`)
    }),
  )
  return lists.flat()
}

interface PodLogs {
  /** Pods so far. */
  seen(): number
  close(): Promise<void>
}

function followPods({ client, namespace, kubeletRoot, onLine }: ReleaseOptions): PodLogs {
  const logs = new Map<string, LogFollower>()
  const closing = new AbortController()
  async function look(): Promise<void> {
    for (const { uid, name: pod } of await orchestratorPods(client, namespace)) {
      if (logs.has(uid)) continue
      const folder = join(kubeletRoot, 'logs', `${namespace}_${pod}_${uid}`)
      logs.set(uid, followLog(join(folder, 'orchestrator', '0.log'), onLine))
    }
    for (const log of logs.values()) await log.read()
  }
  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      // The API server may be away: what is there is looked at anew.
      await look().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
    for (const log of logs.values()) await log.read().catch(() => undefined)
  }
  const following = follow()
  return {
    seen: () => logs.size,
    async close() {
      closing.abort()
      await following
    },
  }
}
