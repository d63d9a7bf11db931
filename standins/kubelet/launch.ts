/** What is run for a container of a pod: its command, its environment and its mounts. */
import { join } from 'node:path'
import { mkdirSync } from 'node:fs'
import { answered } from '../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient } from '../../edges/kubernetes/api/api.ts'
import { ConfigError, environmentOf, expand, type Data } from './environment.ts'
import type { Images } from './image.ts'
import { mountsOf, type MadeVolume } from './mounts.ts'
import type { Container, Pod } from './pod.ts'
import type { Launch } from './process.ts'
import { sandboxed } from './sandbox.ts'

interface LaunchDeps {
  readonly client: KubeClient
  readonly images: Images
  readonly programs: readonly string[]
  readonly services: Data
  readonly hostIP: string
  readonly pod: Pod
  readonly podIP: string
  readonly volumes: Readonly<Record<string, MadeVolume>>
  /** Of this container: its root, its last message. */
  readonly folder: string
  /** Of the pod: its /etc/hosts. */
  readonly hosts: string
}

/** The user of an image that names none in its Pod, as ours do by name (deploy/). */
const imageUser = 1_000
const usualMessagePath = '/dev/termination-log'

/** @throws ConfigError, KubeError */
export async function launchOf(container: Container, deps: LaunchDeps): Promise<Launch> {
  const { pod, images, programs, services, hostIP, podIP, volumes, folder, hosts } = deps
  const sources = { ...(await sourcesOf(container, deps)), services }
  const environment = environmentOf(container, pod, { podIP, hostIP }, sources)
  const own = container.command ?? images[container.image] ?? []
  const words = [...(container.command === undefined ? [] : own), ...(container.args ?? [])]
  const expanded = words.map((word) => expand(word, environment))
  const command = container.command === undefined ? [...own, ...expanded] : expanded
  if (command.length === 0) throw new ConfigError('no command specified')
  const mounts = mountsOf(container, volumes, environment)
  for (const { source } of mounts) mkdirSync(source, { recursive: true })
  const { securityContext = {} } = container
  const message = container.terminationMessagePath ?? usualMessagePath
  return {
    env: { PATH: usualPath, HOSTNAME: pod.spec.hostname ?? pod.metadata.name, HOME: '/', ...environment },
    command: sandboxed({
      root: join(folder, 'root'),
      mounts: [...mounts, { source: join(folder, 'message'), target: message, readOnly: false }],
      hosts,
      programs,
      command,
      workingDir: container.workingDir ?? '/',
      ...userOf(container, pod),
      isRootReadOnly: securityContext.readOnlyRootFilesystem === true,
      isProcWhole: securityContext.procMount === 'Unmasked',
    }),
  }
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** @throws ConfigError as a kubelet does, which cannot look up a user's name in an image. */
function userOf({ securityContext = {} }: Container, { spec }: Pod): { readonly uid: number; readonly gid: number } {
  const { runAsUser, runAsGroup, runAsNonRoot } = { ...spec.securityContext, ...securityContext }
  if (runAsNonRoot === true && runAsUser === undefined)
    throw new ConfigError(
      'container has runAsNonRoot and image has non-numeric user (node), cannot verify user is non-root',
    )
  if (runAsNonRoot === true && runAsUser === 0) throw new ConfigError("container's runAsUser breaks non-root policy")
  return { uid: runAsUser ?? imageUser, gid: runAsGroup ?? (runAsUser === undefined ? imageUser : 0) }
}

async function sourcesOf(
  { env = [], envFrom = [] }: Container,
  deps: LaunchDeps,
): Promise<{
  readonly secrets: Record<string, Data | undefined>
  readonly configMaps: Record<string, Data | undefined>
}> {
  const secretNames = [
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
  ]
  const configMapNames = [
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
  ]
  const secrets = await readAll('secrets', secretNames, 'base64', deps)
  return { secrets, configMaps: await readAll('configmaps', configMapNames, 'utf8', deps) }
}

async function readAll(
  plural: string,
  names: readonly (string | undefined)[],
  encoding: BufferEncoding,
  { client, pod }: LaunchDeps,
): Promise<Record<string, Data | undefined>> {
  const found: Record<string, Data | undefined> = {}
  for (const name of new Set(names.filter((one) => one !== undefined))) {
    const path = pathOf({ apiVersion: 'v1', plural }, { namespace: pod.metadata.namespace ?? '', name })
    const object = await client.ask('GET', path).catch((error: unknown) => {
      if (answered(error, 404)) return undefined
      throw error
    })
    const data = Object.entries(object?.data ?? {}).map(([key, text]) => [key, Buffer.from(text, encoding).toString()])
    found[name] = object === undefined ? undefined : Object.fromEntries(data)
  }
  return found
}
